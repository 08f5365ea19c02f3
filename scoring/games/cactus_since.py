"""How likely two pieces of Cactus touch, by who hung or moved them: what nobody touched since hangs as it was left."""

from __future__ import annotations

from dataclasses import replace

from scoring.games.cactus_same import moved
from scoring.table import Contact, TableState

PUSHED_MM = 1.5
"""A piece none of whose corners moved by more than this hangs as before, as far as anybody sees."""
_LEFT = 0.15
"""Odds that two touch that hang as they did before the turn, against any two: whoever made them touch repaired it."""
_HUNG = 1.25
"""The same where one was hung or moved in the turn."""


def since(before: TableState, after: TableState) -> TableState:
    """The table after a turn, its contacts of two pieces weighed by what the turn did to these.

    Parameters
    ----------
    before, after
        The tables before and after the turn; `after` has the contacts, as a picture alone tells them.
    """
    then = {p.key: p for p in before.placements}
    left = {p.key for p in after.placements if p.key in then and not moved(then[p.key], p, PUSHED_MM)}

    def weighed(c: Contact) -> Contact:
        touch = c.touching * (_LEFT if {c.a, c.b} <= left else _HUNG)
        return c if c.b is None else replace(c, touching=touch / (touch + (1 - c.touching)))

    return replace(after, contacts=tuple(weighed(c) for c in after.contacts))
