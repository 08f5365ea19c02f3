"""Deck folders: found, read, written whole, and drawn small."""
