"""Pictures: meshes, shaders, cameras, overlays, films."""
