"""Train the plate network on drawn photographs of Cactus and write it as ONNX.

    python -m tests.decks.cactus_sets stands/sets
    python -m tests.render.cactus_table stands --decks stands/sets/* --count 160 --seed 11
    python -m tests.training.train_plates stands --out vision/models/plates.onnx --hours 0.6

Needs the `training` extra (PyTorch). What is measured later must be of other sets.
"""

from __future__ import annotations

import argparse
import fnmatch
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.training.loop import Endless, add_options, begun, export, halve, train
from tests.training.plate_data import Sample, drawn, samples
from tests.training.plate_net import PlateNet, loss

_PER_MM = (0.75, 1.25)
"""Pixels of a millimetre in training pictures."""


def mixed(rng: np.random.Generator, kept: list[Sample], size: int) -> Iterator[tuple[Any, Any]]:
    """Training pictures without end."""
    while True:
        rgb, target = drawn(rng, kept[int(rng.integers(len(kept)))], size, _PER_MM)
        yield rgb.transpose(2, 0, 1), target


def load(folders: list[pathlib.Path], without: list[str]) -> list[Sample]:
    """The photographs of all cases, but for those whose name is like one of `without`."""
    kept = []
    for folder in folders:
        for truth in sorted((folder / "cactus").glob("*/truth.json")):
            if not any(fnmatch.fnmatch(truth.parent.name, w) for w in without):
                kept += list(samples(truth.parent, folder / "decks"))
        print(folder, len(kept), flush=True)
    return kept


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("cases", type=pathlib.Path, nargs="+", help="folders that tests.render.cactus_table has written")
    a.add_argument("--without", nargs="*", default=[], help="cases to leave out, with * for anything")
    add_options(a, hours=0.6, batch=12, size=224, rate=3e-3)
    o = a.parse_args()
    kept = load(o.cases, o.without)
    net = begun(PlateNet, o.seed, o.start)
    pictures = Endless(o.seed, lambda rng: mixed(rng, kept, o.size))
    train(net, pictures, loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate, workers=o.workers)
    export(net, o.out, "plates")
    halve(o.out)


if __name__ == "__main__":
    main()
