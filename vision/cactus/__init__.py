"""The eye for Cactus: cacti that stand upright, and what hangs on them. `observe` is where to begin."""
