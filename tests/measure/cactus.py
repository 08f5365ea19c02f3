"""How well games of Cactus are read and judged: sequences of photographs held against their truth, in one process.

    python -m tests.measure.cactus CASES [--decks DIR] [--only NAME*] [--misses 10] [--keep DIR] [--second]
    python -m tests.measure.cactus CASES --answers DIR

`CASES` is what ``python -m tests.render.cactus_table CASES --decks SET ...`` has drawn, or any folder of cases in that
form. Each sequence goes through `referee judge`; `--answers` takes answers that were kept before instead (a file of
JSON Lines a case). `--second` also judges every photo that has a second view again, with it. Prints a table in
Markdown, and where it went wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from tests.measure.cactus_figures import Figures, Json
from tests.measure.decoding import decode_s
from webui.cli import main


def judged(case: Path, deck: Path, photos: Sequence[Path], *more: str) -> list[Json]:
    """What `referee judge` says of the photos of a case, an object a photo that could be judged."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        main(["judge", "cactus", "--deck", str(deck), *more, *map(str, photos)])
    return [json.loads(line) for line in told.getvalue().splitlines() if line.startswith("{")]


def _by_name(answers: Sequence[Json]) -> dict[str, Json]:
    return {Path(a.get("photo", "")).name: a for a in answers}


def run() -> None:
    """Judge every case and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--decks", type=Path, help="folder of the sets; by default beside the cases")
    parser.add_argument("--only", default="*", help="names of cases to take, with * for anything")
    parser.add_argument("--misses", type=int, default=12, help="how many misses of each figure to print")
    parser.add_argument("--keep", type=Path, help="folder for the answers, a file of JSON Lines a case")
    parser.add_argument("--answers", type=Path, help="folder of answers to measure instead of judging")
    parser.add_argument("--second", action="store_true", help="judge again with the second view, where there is one")
    options = parser.parse_args()
    folder = options.cases / "cactus" if (options.cases / "cactus").is_dir() else options.cases
    cases = sorted(p.parent for p in folder.glob(f"{options.only}/truth.json"))
    if not cases:
        parser.error(f"no cases in {folder}")
    decks = options.decks or folder.parent / "decks"
    figures, spent, ratios = Figures(), [], []
    for case in tqdm(cases, unit="case", disable=not sys.stderr.isatty()):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        photos = [case / p["photo"] for p in truth["photos"]]
        deck = decks / Path(truth["deck"]).name
        began = time.process_time()
        if options.answers:
            kept = options.answers / f"{case.name}.jsonl"
            text = kept.read_text(encoding="utf-8") if kept.exists() else ""
            answers = [json.loads(line) for line in text.splitlines()]
        else:
            answers = judged(case, deck, photos)
            spent.append((time.process_time() - began) / len(photos))
            ratios.append(spent[-1] / decode_s(photos[-1]))
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            lines = "\n".join(json.dumps(a) for a in answers)
            (options.keep / f"{case.name}.jsonl").write_text(lines, encoding="utf-8")
        said = _by_name(answers)
        for i, photo in enumerate(truth["photos"]):
            place = f"{case.name}/{photo['photo']}"
            figures.add(photo, said.get(photo["photo"], {}), place)
            if options.second and "second" in photo and not options.answers:
                both = judged(case, deck, photos[: i + 1], "--second", str(case / photo["second"]["photo"]))
                figures.add_second(photo, _by_name(both).get(photo["photo"], {}), place)
    print("\n".join(figures.lines()))
    took = f", {statistics.median(spent):.2f} s of the processor a photo" if spent else ""
    print(f"\n{len(cases)} sequences, {figures.photos} photos{took}")
    if ratios:
        print(f"{statistics.median(ratios):.0f} x cv2.imdecode")
    shown: Counter[str] = Counter()
    for name, place in sorted(figures.missed, key=lambda m: m[0]):
        shown[name] += 1
        if shown[name] <= options.misses:
            print(f"  {name}: {place}")
    for name, count in sorted(shown.items()):
        if count > options.misses:
            print(f"  {name}: {count - options.misses} more")


if __name__ == "__main__":
    run()
