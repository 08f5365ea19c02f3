"""Decks and sets that are drawn for tuning and for measuring."""
