"""How the networks in `vision/models` are trained, on pictures that are drawn for it."""
