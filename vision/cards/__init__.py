"""Cards in a picture.

`locate` finds all of them: `outlines` and `survey` propose, `identify` names, `faces` compares. `plain*` are for cards
without pictures round a board, `anycard` for cards of no known deck.
"""
