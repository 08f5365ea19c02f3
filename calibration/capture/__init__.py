"""A copy of a game learned from photos of its parts: one `deck_<game>` a game, and what they find in the photos."""
