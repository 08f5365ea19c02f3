"""A copy of Rox learned from photos of its cards, whatever is drawn on them."""
