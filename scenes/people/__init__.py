"""Parts of people, and whole ones: knees, shoulders, spines, hands (Stelzner 2008, chapter 4)."""
