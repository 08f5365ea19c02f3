"""Sheets to print, true to scale: decks, pieces, and the target that teaches a camera."""
