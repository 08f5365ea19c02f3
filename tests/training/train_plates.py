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

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from tests.training.loop import export, halve, train
from tests.training.plate_data import Sample, drawn, samples
from tests.training.plate_net import PlateNet, loss

_PER_MM = (0.75, 1.25)
"""Pixels of a millimetre in training pictures."""


class Pictures(IterableDataset):  # type: ignore[type-arg]
    """Endless training pictures; every worker has its own random stream."""

    def __init__(self, kept: list[Sample], seed: int, size: int) -> None:
        self.kept, self.seed, self.size = kept, seed, size

    def __iter__(self):  # type: ignore[no-untyped-def]
        info = get_worker_info()
        cv2.setNumThreads(1)
        rng = np.random.default_rng([self.seed, info.id if info else 0])
        while True:
            rgb, target = drawn(rng, self.kept[int(rng.integers(len(self.kept)))], self.size, _PER_MM)
            yield torch.from_numpy(rgb.transpose(2, 0, 1).copy()), torch.from_numpy(target)


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
    a.add_argument("--out", type=pathlib.Path, required=True)
    a.add_argument("--without", nargs="*", default=[], help="cases to leave out, with * for anything")
    a.add_argument("--hours", type=float, default=0.6)
    a.add_argument("--batch", type=int, default=12)
    a.add_argument("--size", type=int, default=224)
    a.add_argument("--rate", type=float, default=3e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--start", type=pathlib.Path, help="checkpoint (.pt) to go on from")
    o = a.parse_args()
    torch.manual_seed(o.seed)
    cv2.setNumThreads(1)  # threads of before a fork would be waited for in it for ever
    net = PlateNet().to(memory_format=torch.channels_last)
    if o.start:
        net.load_state_dict(torch.load(o.start))
    pictures = Pictures(load(o.cases, o.without), o.seed, o.size)
    train(net, pictures, loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate)
    export(net, o.out, "plates")
    halve(o.out)


if __name__ == "__main__":
    main()
