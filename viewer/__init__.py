"""The window in which a world can be watched and dragged: not part of this version.

The package holds the place in the layering (`viewer` imports `engine`, never the other way round).
Until it is filled, `stoss run SCENE --save motion.npz` keeps a motion for later replay.
"""
