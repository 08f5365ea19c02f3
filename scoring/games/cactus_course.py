"""Which of several new pieces of Cactus a turn has hung: each turn is played on the next cactus round.

A piece that hides when it is hung and is found a turn later seems as new as the piece of that turn. The order in which
the cacti are played on parts the two: the later cactus is that of the later turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.deck_cactus import CactusDeck
from scoring.games.cactus_count import hung
from scoring.table import TableState


@dataclass(frozen=True, slots=True)
class Course:
    """How the turns have gone round the cacti so far.

    Parameters
    ----------
    last
        The cactus on which a piece was seen to be hung last, or None.
    untold
        How many tables since then (or since the first) showed no such piece.
    step
        1 where the cacti are played on from left to right, -1 from right to left, 0 where neither is so.
    """

    last: str | None = None
    untold: int = 0
    step: int = 1

    def after(self, cactus: str | None, cacti: Sequence[str]) -> Course:
        """The course after one more table: a piece was hung on that cactus, or none was seen to be."""
        if cactus is None:
            return replace(self, untold=self.untold + 1)
        step = self.step
        if not self.untold and self.last in cacti and cactus in cacti:
            steps = (cacti.index(cactus) - cacti.index(self.last)) % len(cacti)
            step = {1: 1, len(cacti) - 1: -1}.get(steps, 0)
        return Course(cactus, 0, step)


@dataclass(frozen=True, slots=True)
class Fresh:
    """The pieces that hang on a table and did not on the one before.

    Parameters
    ----------
    own
        The piece of this turn, or None where that is not told.
    older
        Those that hung before this turn, though nobody saw them.
    missed
        Of these, the one that the turn before this one has hung, if it was that.
    """

    own: str | None
    older: tuple[str, ...] = ()
    missed: str | None = None


def fresh_of(deck: CactusDeck, before: TableState, after: TableState, course: Course | None) -> Fresh:
    """Tell apart what hangs newly.

    Parameters
    ----------
    deck
        The set.
    before, after
        The tables before and after a turn.
    course
        How the turns went so far, each with one table; None where tables are not turns.
    """
    old, now = hung(before, deck), hung(after, deck)
    new = {piece: now[piece] for piece in sorted(now.keys() - old.keys())}
    known = {p: c for p, c in new.items() if not before.cacti or c in before.cacti}
    own: str | None = None
    if len(new) == 1 or (len(known) == 1 and len(new) > 1):
        own = next(iter(known or new))
    elif course is not None and course.step and sorted(after.cacti) == sorted(deck.cacti):
        own = _latest(known, course, after.cacti)
    if own is None:
        return Fresh(None)
    older = tuple(p for p in new if p != own)
    return Fresh(own, older, _missed(older, new, own, course, after.cacti))


def _latest(new: Mapping[str, str], course: Course, cacti: Sequence[str]) -> str | None:
    """The piece that hangs on the cactus of the latest turn that can have been, if one alone does."""
    last = course.last
    if last is not None and last in cacti:
        turns = {p: _turns(last, c, course, cacti) for p, c in new.items()}
    elif course.untold and len(new) == 2:
        (one, a), (other, b) = new.items()
        follows = _turns(a, b, course, cacti)
        turns = {one: 1, other: 2} if follows == 1 else {other: 1, one: 2} if follows == len(cacti) - 1 else {}
    else:
        return None
    able = {p: n for p, n in turns.items() if n <= course.untold + 1}
    latest = [p for p, n in able.items() if n == max(able.values())]
    return latest[0] if len(latest) == 1 else None


def _missed(
    older: Sequence[str], new: Mapping[str, str], own: str, course: Course | None, cacti: Sequence[str]
) -> str | None:
    """The one of the older pieces that hangs on the cactus before that of this turn, where that turn showed none."""
    if course is None or not course.untold or not course.step or new[own] not in cacti:
        return None
    before = [p for p in older if new[p] in cacti and _turns(new[p], new[own], course, cacti) == 1]
    return before[0] if len(before) == 1 else None


def _turns(one: str, other: str, course: Course, cacti: Sequence[str]) -> int:
    """After how many turns a cactus comes after another, 1 to the number of cacti."""
    return (course.step * (cacti.index(other) - cacti.index(one)) - 1) % len(cacti) + 1
