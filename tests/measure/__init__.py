"""Figures of a whole folder of cases, one command a game."""
