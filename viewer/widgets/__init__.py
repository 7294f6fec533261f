"""What windows and panels are made of: theme, pop-ups, waits, and small pictures of scenes."""
