"""The rules of each game: `rox*`, `conex*`, `cactus*`, and `turns` for what the two that go by turns have in common.

Of each game `*_match` decides, `*_apply` folds, `*_judge` judges, `*_play` is the state of a match.
"""
