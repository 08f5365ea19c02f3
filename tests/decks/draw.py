"""Draw the decks for tuning and measuring: ``python -m tests.decks.draw OUT_DIR [names...]``."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from tqdm import tqdm

from calibration.art.rox import write_deck
from tests.decks.styles import STYLES


def ensure_deck(cache: Path, name: str, px_per_mm: float = 6.0) -> Path:
    """Folder of the deck of that name, drawn into `cache` unless it is there already.

    Raises
    ------
    KeyError
        If there is no deck of that name.
    """
    folder = cache / name
    if not (folder / "deck.json").exists():
        style = dataclasses.replace(STYLES[name](), px_per_mm=px_per_mm)
        with tqdm(desc=name, unit="card", leave=False) as bar:

            def said(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            write_deck(style, folder, said)
    return folder


def main() -> None:
    """Draw the named decks, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(STYLES)}; all by default")
    parser.add_argument("--px-per-mm", type=float, default=6.0)
    args = parser.parse_args()
    unknown = [n for n in args.names if n not in STYLES]
    if unknown:
        parser.error(f"no deck {unknown[0]!r}; there are {', '.join(STYLES)}")
    for name in args.names or STYLES:
        print(ensure_deck(args.out_dir, name, args.px_per_mm))


if __name__ == "__main__":
    main()
