"""What the page shows of a match, as values that never change once they are made."""
