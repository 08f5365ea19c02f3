"""The standing as a drawing: points after each round, one line a player."""

from __future__ import annotations

from itertools import accumulate

from flask import render_template
from markupsafe import Markup

from webui.rox.snapshot import MatchRox

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 190, 16, 36
LABEL_GAP = 24


def chart(match: MatchRox) -> Markup:
    """Inline SVG of the totals after each confirmed round; the table beside it says the same in numbers."""
    played = len(match.rounds_played)
    if not played:
        return Markup("")
    totals = {p.seat: (0, *accumulate(p.rounds)) for p in match.players}
    highest = max(max(t) for t in totals.values()) or 1
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100) if highest / s <= 5 or s == 100)
    top = -(-highest // step) * step

    def x(n: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * n / max(match.rounds, 1), 1)

    def y(points: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * points / top, 1)

    ends = sorted(((y(totals[p.seat][-1]), p.number) for p in match.players), key=lambda e: (e[0], e[1]))
    labels: dict[int, float] = {}
    low = float("-inf")
    for at, number in ends:
        low = max(at, low + LABEL_GAP)
        labels[number] = low
    over = max(0.0, low - (HEIGHT - 8))
    lines = [
        {
            "player": p,
            "points": " ".join(f"{x(n)},{y(v)}" for n, v in enumerate(totals[p.seat])),
            "marks": [(x(n), y(v)) for n, v in enumerate(totals[p.seat])],
            "end": (x(played), y(totals[p.seat][-1])),
            "label_y": round(labels[p.number] - over, 1),
            "total": totals[p.seat][-1],
        }
        for p in match.players
    ]
    return Markup(  # a template of ours, which escapes what it fills in
        render_template(
            "chart.html",
            lines=lines,
            width=WIDTH,
            height=HEIGHT,
            left=LEFT,
            right=WIDTH - RIGHT,
            label_x=x(played) + 16,
            grid=[(v, y(v)) for v in range(0, top + 1, step)],
            rounds=[(n, x(n)) for n in range(match.rounds + 1)],
            bottom=HEIGHT - 10,
        )
    )
