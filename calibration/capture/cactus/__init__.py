"""A set of Cactus learned from photos of its pieces and cacti, laid flat."""
