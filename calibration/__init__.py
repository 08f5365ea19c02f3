"""What is learned or made once: cameras, light, copies of games, printable sheets and the bundled decks.

`lesson` learns a camera, `profile` and `shelf` keep it; `capture` learns a copy of a game from photos of its parts.
"""
