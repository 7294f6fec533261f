"""What scenes are built with: grounds, materials, poses, checks."""
