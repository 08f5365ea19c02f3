"""What is no card: pawns, stars, dice. `tokens` finds them all."""
