"""From picture to picture: what changed, how the camera moved, what is where.

`tracker` is the only step that remembers, and `gate` tells which frames are worth a look.
"""
