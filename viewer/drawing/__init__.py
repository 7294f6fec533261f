"""Pictures: meshes, shaders, cameras, overlays, films."""

from stoss.dependencies import require

require(__name__)
