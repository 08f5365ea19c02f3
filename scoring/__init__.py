"""The rules of all games, and a match as a fold of events. Pure: no clock, no file, no randomness, no picture.

`table` is the vocabulary that every room shares, `rules` lists the games, `match` folds events and decides commands,
`games` holds one family of modules a game.
"""
