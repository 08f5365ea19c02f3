"""How well games of Cactus are judged with a learned set, beside the same games judged with the true one.

    python -m tests.measure.enrolled OUT [--sets NAME ...] [--games 2] [--seed 7] [--paper A4] [--beside 2]
        [--silent]

draws each set laid out for enrolment and games of it below OUT, unless they are there, learns the set with
`referee enroll` and judges the games with both. A set of any name is drawn, the same each time; nothing may be fitted
to those that are measured. Where enrolment asks, it is answered as a person with a ruler would, in whole and half
millimetres; `--silent` answers nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import Polygon
from tqdm import tqdm

from calibration.capture.cactus.plate_sheet import PAPERS
from calibration.capture.cactus.sizes import height_mm, longest_mm
from tests.decks.cactus_sets import ensure_set
from tests.measure.cactus import judged
from tests.measure.cactus_figures import Figures, overlap
from tests.render.cactus_table import draw_games
from tests.render.enroll_pieces import write_case
from webui.cli import main

Json = dict[str, Any]
SETS = ("learn-saguaro", "learn-cereus", "learn-opuntia")
_SAME = 0.7
"""Overlap from which an outline is that of a piece."""
_FOUND = 0.95


def _half(mm: float) -> float:
    """As a ruler tells it."""
    return round(2 * mm) / 2


def examples_of(true: Json, photos: Sequence[Json]) -> Json:
    """A pixel of one piece of each colour and shape."""
    facts = {p["id"]: p for p in true["pieces"]}
    out: Json = {}
    for photo in photos:
        for laid in photo["pieces"]:
            piece = facts.get(laid["id"])
            if piece is None:
                continue
            point = Polygon(laid["outline"]).buffer(0).representative_point()
            for name in (piece["color"], piece["shape"]):
                if name:
                    out.setdefault(name, {"photo": photo["photo"], "at": [point.x, point.y]})
    return out


def true_ids(told: Sequence[Json], photos: Sequence[Json]) -> dict[str, str]:
    """What was learned under which name is what in truth."""
    ids = {}
    for photo in photos:
        for laid in photo["pieces"]:
            seen = [
                (overlap(laid["outline"], s["outline"]), part["id"])
                for part in told
                for s in part.get("sightings", [])
                if Path(s["photo"]).name == photo["photo"]
            ]
            share, name = max(seen, default=(0.0, ""))
            if share > _SAME:
                ids[name] = laid["id"]
    return ids


def answers_to(told: Sequence[Json], ids: Mapping[str, str], true: Json) -> Json:
    """What a person says who is asked: measured with a ruler, and the colour and shape as they are."""
    facts = {p["id"]: p for p in (*true["pieces"], *true["cacti"])}
    stand = {"base": {k: _half(v) for k, v in true["base"].items()}, "thickness_mm": _half(true["thickness_mm"])}
    out: Json = {}
    for part in told:
        fact = facts.get(ids.get(part["id"], ""), {})
        for field in part["asks"]:
            if field.endswith("_mm") and field not in stand and "outline" not in fact:
                continue
            if field == "length_mm":
                out.setdefault(part["id"], {})[field] = _half(longest_mm(fact["outline"]))
            elif field == "height_mm":
                out.setdefault(part["id"], {})[field] = _half(height_mm(fact["outline"]))
            elif field in stand:
                out.setdefault(part["id"], {})[field] = stand[field]
            elif field in fact:
                out.setdefault(part["id"], {})[field] = fact[field]
    return out


def _enrolled(args: Sequence[str]) -> list[Json]:
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
        main(["enroll", "cactus", *args])
    return [json.loads(line) for line in told.getvalue().splitlines() if line.startswith("{")]


def learned(case: Path, true: Json, out: Path, silent: bool) -> tuple[Path, str]:
    """The folder of the set learned from a case, its parts named as in truth; and how near to the truth it is."""
    photos = json.loads((case / "truth.json").read_text(encoding="utf-8"))["photos"]
    out.mkdir(parents=True, exist_ok=True)
    (out / "examples.json").write_text(json.dumps(examples_of(true, photos)), encoding="utf-8")
    tallest = max(y for c in true["cacti"] for _, y in c["outline"])
    args = ["--out", str(out / "deck"), "--force", "--examples", str(out / "examples.json")]
    args += ["--cactus-height", str(_half(tallest)), *(str(case / p["photo"]) for p in photos)]
    told = _enrolled(args)
    ids = true_ids(told, photos)
    asked = sum(bool(p["asks"]) for p in told)
    if not silent:
        (out / "answers.json").write_text(json.dumps(answers_to(told, ids, true)), encoding="utf-8")
        told = _enrolled([*args, "--answers", str(out / "answers.json")])
        ids = true_ids(told, photos)
    path = out / "deck" / "deck.json"
    deck = json.loads(path.read_text(encoding="utf-8"))
    for part in (*deck["pieces"], *deck["cacti"]):
        part["id"] = ids.get(part["id"], part["id"])
    order = [c["id"] for c in true["cacti"]]
    deck["cacti"].sort(key=lambda c: order.index(c["id"]) if c["id"] in order else len(order))
    path.write_text(json.dumps(deck), encoding="utf-8")
    return out / "deck", _likeness(deck, told, photos, true, asked)


def _likeness(deck: Json, told: Sequence[Json], photos: Sequence[Json], true: Json, asked: int) -> str:
    facts = {p["id"]: p for p in (*true["pieces"], *true["cacti"])}
    grown: dict[str, list[float]] = {"pieces": [], "cacti": []}
    for group, sizes in grown.items():
        for part in deck[group]:
            if part["id"] in facts:
                areas = [Polygon(o).buffer(0).area for o in (part["outline"], facts[part["id"]]["outline"])]
                sizes.append(math.sqrt(areas[0] / areas[1]))
    seen = [
        max(
            (overlap(laid["outline"], s["outline"]) for p in told for s in p.get("sightings", []) if _is_on(s, photo)),
            default=0.0,
        )
        for photo in photos
        for laid in photo["pieces"]
    ]
    found = sum(s >= _FOUND for s in seen)
    scale = ", ".join(f"{group} {np.median(v):.3f}" for group, v in grown.items() if v)
    return f"outlines {found}/{len(seen)} (mean {np.mean(seen):.3f}); size of {scale}; asked {asked}"


def _is_on(sighting: Json, photo: Json) -> bool:
    return Path(sighting["photo"]).name == str(photo["photo"])


def compared(both: Sequence[Figures]) -> Iterable[str]:
    """The figures with the true and with the learned sets side by side, as a table in Markdown."""
    rows: list[list[tuple[str, str]]] = []
    for figures in both:
        cells = [line.strip("| ").split(" | ", 1) for line in figures.lines()]
        rows.append([(c[0], c[1]) for c in cells[2:] if len(c) == 2])
    right = dict(rows[1])
    yield "| figure | true sets | learned sets |"
    yield "|---|---|---|"
    for name, value in rows[0]:
        yield f"| {name} | {value} | {right.get(name, '–')} |"


def run() -> None:
    """Draw, learn, judge and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--games", type=int, default=2, help="of each set")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--paper", choices=sorted(PAPERS), help="what all lie on while it is learned")
    parser.add_argument("--beside", type=int, default=0, help="how many pieces lie beside the cacti too")
    parser.add_argument("--silent", action="store_true", help="answer no question")
    parser.add_argument("--misses", type=int, default=6, help="how many misses of each figure to print")
    o = parser.parse_args()
    both = (Figures(), Figures())
    for n, name in enumerate(tqdm(o.sets, unit="set", disable=not sys.stderr.isatty())):
        folder = ensure_set(o.out / "decks", name)
        true = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
        laid = o.out / "enroll" / name
        if not (laid / "truth.json").exists():
            write_case(np.random.default_rng([o.seed, n]), laid, folder, PAPERS.get(o.paper), o.beside)
        draw_games(o.out / "cactus", [folder], o.games, first=n * o.games, seed=o.seed, second=0.0)
        deck, how = learned(laid, true, o.out / "learned" / name, o.silent)
        print(f"{name}: {how}")
        for case in sorted((o.out / "cactus").glob(f"*-{name}")):
            truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
            photos = [case / p["photo"] for p in truth["photos"]]
            for figures, known in zip(both, (folder, deck), strict=True):
                said = {Path(a["photo"]).name: a for a in judged(case, known, photos)}
                for photo in truth["photos"]:
                    figures.add(photo, said.get(photo["photo"], {}), f"{case.name}/{photo['photo']}")
    print("\n".join(compared(both)))
    for which, figures in zip(("true", "learned"), both, strict=True):
        names = sorted({name for name, _ in figures.missed})
        for name in names:
            places = [place for figure, place in figures.missed if figure == name]
            print(f"{which}: {name}: {len(places)}", *places[: o.misses], sep="\n  ")


if __name__ == "__main__":
    run()
