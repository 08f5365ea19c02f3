"""Copies of games: photographs, what is read of them, what a person said of it, the deck made of both."""
