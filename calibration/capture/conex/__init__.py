"""A copy of CONEX learned from photos of its cards, board and stars."""
