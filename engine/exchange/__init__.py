"""Models in the formats of others: URDF, MJCF by MuJoCo's own compiler, USD, and the files of simsys."""

from stoss.engine.exchange.formats import IMPORTS, import_model
from stoss.engine.exchange.mjcf_reader import read_mjcf
from stoss.engine.exchange.simsys import read_simsys
from stoss.engine.exchange.urdf_reader import read_urdf
from stoss.engine.exchange.usd_reader import read_usd

__all__ = ["IMPORTS", "import_model", "read_mjcf", "read_simsys", "read_urdf", "read_usd"]
