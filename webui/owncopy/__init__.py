"""The pages on which one's own copy of a game is learned, and what they ask of whoever sees."""
