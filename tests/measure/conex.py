"""How well tables of CONEX are read and judged: sequences of photographs held against their truth, in one process.

    python -m tests.measure.conex CASES [--decks DIR] [--only NAME*] [--misses 10] [--keep DIR]

`CASES` is what ``python -m tests.render.conex_table CASES --decks DECK ...`` has drawn, or any folder of cases in that
form. Each photo goes through the code of `referee judge`. Prints a table in Markdown, and where it went wrong. The
stated band is tested on every gap that a ruling measured: its value and sigma against the exact gap of the true poses.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from scoring.deck import ConexDeck, Deck
from scoring.games.conex_place import judge_placement
from scoring.games.conex_step import Step
from scoring.table import BOARD, TableState
from scoring.verdicts import Verdict
from tests.measure.conex_figures import Figures, StatedGap
from tests.measure.decoding import decode_s
from tests.render.conex_geometry import ConexArt, Pose, gaps
from vision.deck import load_appearance
from vision.scene import SceneModel
from webui.commands.photos import Judged
from webui.conex.report import ConexReport
from webui.reports import Json
from webui.sight.decks.folders import read_deck

MANY = 15
"""Cards from which a photo counts as a full table, for the time that it takes."""
MEASURED = ("single-contact", "corner-covered", "out-of-bounds")


class Listening(ConexReport):
    """The command's own report, which also keeps the verdicts behind what it tells."""

    def __init__(self, deck: ConexDeck) -> None:
        super().__init__(deck)
        self.verdicts: tuple[Verdict, ...] = ()
        self.faces: Mapping[str, str | None] = {}

    def _placement(self, table: TableState, step: Step) -> Json | None:
        told = super()._placement(table, step)
        self.verdicts = ()
        if step.placed is not None:
            _, self.verdicts = judge_placement(table, step.placed.key, self._deck, self._options)
        self.faces = {p.key: p.face for p in table.placements}
        return told


class Decks:
    """Decks by name, each loaded once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, tuple[Deck, Any, ConexArt]] = {}

    def __getitem__(self, name: str) -> tuple[Deck, Any, ConexArt]:
        if name not in self._loaded:
            folder = self._folder / name
            self._loaded[name] = read_deck(folder), load_appearance(folder), ConexArt.facts(folder)
        return self._loaded[name]


def inward(pose: Sequence[float]) -> Pose:
    """A pose as the truth writes it (y up, degrees counter-clockwise) -> (x, y, angle) with y down, in rad."""
    return pose[0], -pose[1], -float(np.radians(pose[2]))


def stated_gaps(art: ConexArt, truth: Json, photo: Json, report: Listening, place: str) -> list[StatedGap]:
    """Every gap that the ruling measured between things that it named rightly, with the exact one."""
    placed = photo["placement"]
    if placed is None or not report.verdicts or report.faces.get(report.verdicts[0].about[0]) != placed["card"]:
        return []
    laid = {c["id"]: inward(c["pose_mm"]) for c in photo["cards"]} | {BOARD: inward(truth["board_pose_mm"])}
    mine = laid.pop(placed["card"])
    area = np.array(truth["area_mm"]) * [1, -1]
    exact = {(g.rule, json.dumps(g.other)): g.mm for g in gaps(art, placed["card"], mine, None, laid, area)}
    out = []
    for v in report.verdicts:
        rule = v.rule.removeprefix("conex.")
        value, sigma = v.facts.get("gap_mm"), v.facts.get("sigma_mm")
        if rule not in MEASURED or not isinstance(value, int | float) or not isinstance(sigma, int | float):
            continue
        other: Json | None = None
        if rule != "out-of-bounds":
            name = report.faces.get(v.about[1])
            other = {"board": True} if v.about[1] == BOARD else {"card": name}
            if rule == "corner-covered":
                other = {"card": name, "corner": v.facts.get("corner")}
        true = exact.get((rule, json.dumps(other)))
        if true is not None:
            what = f"{place} {placed['card']} {other}: {value:+.2f} ± {sigma:.2f}, is {true:+.2f}"
            out.append(StatedGap(rule, float(value), float(sigma), true, what))
    return out


def judged(case: Path, truth: Json, decks: Decks) -> Iterator[tuple[Json, Json, list[StatedGap], float]]:
    """Truth, answer, stated gaps and the processor's seconds of each photo; an empty answer where there was none."""
    deck, look, art = decks[Path(truth["deck"]).name]
    assert isinstance(deck, ConexDeck)
    photos = [case / p["photo"] for p in truth["photos"]]
    area = np.array(truth["area"], np.float64) if truth.get("area") else None
    command = Judged(SceneModel(look, None, area), deck, photos)
    report = Listening(deck)
    command._report = report  # the same report, but one that keeps its verdicts
    answers = iter(command)
    waiting = {p["photo"]: p for p in truth["photos"]}
    while True:
        began = time.process_time()
        answer = next(answers, None)
        took = time.process_time() - began
        if answer is None:
            break
        photo = waiting.pop(answer[0].name)
        yield photo, answer[1], stated_gaps(art, truth, photo, report, f"{case.name}/{photo['photo']}"), took
    for photo in waiting.values():
        yield photo, {}, [], 0.0


def run() -> None:
    """Judge every case and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--decks", type=Path, help="folder of the decks; by default beside the cases")
    parser.add_argument("--only", default="*", help="names of cases to take, with * for anything")
    parser.add_argument("--misses", type=int, default=12, help="how many misses of each figure to print")
    parser.add_argument("--keep", type=Path, help="folder for the answers, a file of JSON Lines a case")
    options = parser.parse_args()
    folder = options.cases / "conex" if (options.cases / "conex").is_dir() else options.cases
    cases = sorted(p.parent for p in folder.glob(f"{options.only}/truth.json"))
    if not cases:
        parser.error(f"no cases in {folder}")
    decks = Decks(options.decks or folder.parent / "decks")
    figures, times, ratios = Figures(), [], []
    for case in tqdm(cases, unit="case", disable=not sys.stderr.isatty()):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        steps = ["start", *truth.get("steps", [])]
        answers = []
        for n, (photo, told, measured, took) in enumerate(judged(case, truth, decks)):
            figures.add(photo, told, f"{case.name}/{photo['photo']}", steps[n] if n < len(steps) else "")
            figures.gaps += measured
            answers.append(told)
            if took:
                times.append(took)
                if len(photo["cards"]) >= MANY:
                    ratios.append(took / decode_s(case / photo["photo"]))
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            lines = "\n".join(json.dumps(a) for a in answers)
            (options.keep / f"{case.name}.jsonl").write_text(lines, encoding="utf-8")
    print("\n".join(figures.lines()))
    print(
        f"\n{len(cases)} sequences, {figures.photos} photos, {statistics.median(times):.2f} s of the processor a photo"
    )
    if ratios:
        print(f"{len(ratios)} photos of {MANY} cards or more: {statistics.median(ratios):.0f} x cv2.imdecode")
    missed = figures.missed + [("band", g.what) for g in figures.gaps if not g.held]
    shown: Counter[str] = Counter()
    for name, place in sorted(missed, key=lambda m: m[0]):
        shown[name] += 1
        if shown[name] <= options.misses:
            print(f"  {name}: {place}")


if __name__ == "__main__":
    run()
