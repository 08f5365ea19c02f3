"""What only Cactus needs on the page and in the reports."""
