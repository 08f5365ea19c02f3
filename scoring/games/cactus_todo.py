"""The turn of Cactus step by step, as the player does it: roll, take, hang, put right, answer, claim, pass the die."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.games.cactus_declare import phase_of
from scoring.games.cactus_judge import hindrances
from scoring.games.cactus_must import must_of
from scoring.games.cactus_play import CactusPlay
from scoring.play import Phase
from scoring.verdicts import Fact


class Job(StrEnum):
    """One step of a turn. FIX: something touches, or piece or cactus is wrong. ANSWER: the picture leaves it open."""

    ROLL = "roll"
    TAKE = "take"
    HANG = "hang"
    FIX = "fix"
    ANSWER = "answer"
    CLAIM = "claim"
    PASS = "pass"


class JobState(StrEnum):
    """How far a step is: done, the one to do now, to come later, or something that may be done besides."""

    DONE = "done"
    NOW = "now"
    LATER = "later"
    MAY = "may"


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of the checklist.

    Parameters
    ----------
    job, state
        What, and how far it is.
    pieces
        Ids of the pieces that may be taken, for TAKE; those concerned, for FIX and ANSWER.
    cacti
        Ids of the cacti on which it may be hung, for HANG.
    rule
        Rule id of the verdict, for FIX and ANSWER.
    about
        Keys of the placements to look at, for FIX and ANSWER.
    facts
        What a sentence needs: the die, colour, shape, special and reference for TAKE; those of the verdict else.
    """

    job: Job
    state: JobState
    pieces: tuple[str, ...] = ()
    cacti: tuple[str, ...] = ()
    rule: str | None = None
    about: tuple[str, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)


def checklist(play: CactusPlay) -> tuple[Todo, ...]:
    """The running turn step by step, in the order in which it is done; empty before the first and after the last.

    One step at most is to be done now. Passing the die is offered as soon as nothing must be put right or answered.
    """
    must, turn = must_of(play), play.turn
    if must is None or turn is None:
        return ()
    phase = phase_of(play)
    rolled = JobState.NOW if must.roll else JobState.DONE
    todo = [Todo(Job.ROLL, rolled)] if must.roll or must.die is not None else []
    hung = phase is Phase.VERDICT
    taking = JobState.DONE if hung else JobState.LATER if must.roll else JobState.NOW
    asked = must.asked
    facts: dict[str, Fact] = {
        "die": None if must.die is None else str(must.die),
        "color": asked.color,
        "shape": asked.shape,
        "special": asked.special,
        "reference": asked.reference,
        "held": must.held,
    }
    todo.append(Todo(Job.TAKE, taking, must.pieces, facts=facts))
    todo.append(Todo(Job.HANG, JobState.LATER if taking is JobState.NOW else taking, must.pieces, must.cacti))
    ruling = turn.ruling
    now = hung
    for v in hindrances(ruling):
        todo.append(_of(Job.FIX, JobState.NOW if now else JobState.LATER, v.rule, v.about, v.facts))
        now = False
    verdicts = ruling.verdicts if ruling is not None else ()
    for q in ruling.questions if ruling is not None else ():
        held = next((v for v in verdicts if v.rule == q.rule and v.about == q.about), None)
        state = JobState.MAY if not (q.blocking and hung) else JobState.NOW if now else JobState.LATER
        now = now and not q.blocking
        todo.append(_of(Job.ANSWER, state, q.rule, q.about, held.facts if held is not None else {}))
    if play.options.claims == "strict":
        todo.append(Todo(Job.CLAIM, JobState.MAY if hung else JobState.LATER))
    todo.append(Todo(Job.PASS, JobState.NOW if now else JobState.LATER))
    return tuple(todo)


def _of(job: Job, state: JobState, rule: str, about: tuple[str, ...], facts: Mapping[str, Fact]) -> Todo:
    named = [facts.get(k) for k in ("a", "b", "piece")]
    return Todo(job, state, tuple(n for n in named if isinstance(n, str)), (), rule, about, facts)
