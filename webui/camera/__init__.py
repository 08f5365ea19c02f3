"""The pages on which a camera is chosen and set up, and what they ask of whoever sees."""
