"""Train the network that finds the rims of laid pieces of Cactus and write it as ONNX.

    python -m tests.training.train_rims --out rims.onnx --hours 1

Needs the `training` extra (PyTorch). Every picture is drawn for it.
"""

from __future__ import annotations

import argparse
import pathlib

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from calibration.capture.cactus.rim_net import INSIDE, OUTSIDE, STEP
from tests.training.loop import export, halve, train
from tests.training.rim_data import PLACES, Strips
from tests.training.rim_net import RimNet, loss


class Pictures(IterableDataset):  # type: ignore[type-arg]
    """Endless training strips; every worker has its own random stream."""

    def __init__(self, seed: int, size: int) -> None:
        self.seed, self.size = seed, size

    def __iter__(self):  # type: ignore[no-untyped-def]
        info = get_worker_info()
        cv2.setNumThreads(1)
        strips = Strips(np.random.default_rng([self.seed, info.id if info else 0]))
        for shown, target in strips.mixed(self.size):
            yield torch.from_numpy(shown), torch.from_numpy(target)


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--out", type=pathlib.Path, required=True)
    a.add_argument("--hours", type=float, default=0.5)
    a.add_argument("--batch", type=int, default=64)
    a.add_argument("--size", type=int, default=192)
    a.add_argument("--rate", type=float, default=2e-3)
    a.add_argument("--workers", type=int, default=1, help="how many draw pictures")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--start", type=pathlib.Path, help="checkpoint (.pt) to go on from")
    o = a.parse_args()
    torch.manual_seed(o.seed)
    cv2.setNumThreads(1)  # threads of before a fork would be waited for in it for ever
    net = RimNet().to(memory_format=torch.channels_last)
    if o.start:
        net.load_state_dict(torch.load(o.start))
    train(net, Pictures(o.seed, o.size), loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate, workers=o.workers)
    across = round((INSIDE + OUTSIDE) / STEP) + 1
    free = {"strip": {0: "n", 2: "places"}, "rim": {0: "n_out", 2: "places_out"}}
    export(net, o.out, "rim", 10, shown="strip", size=(PLACES, across), free=free)
    halve(o.out)


if __name__ == "__main__":
    main()
