"""Outlines of cards proposed by a small network: which pixels show a card, and where that card's centre and sides are."""

STRIDE = 4
UNIT_PX = 32.0
