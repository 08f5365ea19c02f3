"""Train the outline network on pictures from the project's own generator and write it as ONNX.

    python -m tests.training.train_outlines --out vision/models/outlines.onnx --hours 1

Needs the `training` extra (PyTorch). About 25,000 pictures, an hour on two cores.
"""

from __future__ import annotations

import argparse
import pathlib

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from tests.training.loop import export, train
from tests.training.outline_data import face_pool, picture
from tests.training.outline_net import OutlineNet, freeze_norms, load_exported, loss


class Pictures(IterableDataset):  # type: ignore[type-arg]
    """Endless training pictures; every worker has its own random stream."""

    def __init__(self, seed: int, size: int) -> None:
        self.seed, self.size = seed, size

    def __iter__(self):  # type: ignore[no-untyped-def]
        info = get_worker_info()
        cv2.setNumThreads(1)
        rng = np.random.default_rng([self.seed, info.id if info else 0])
        faces = face_pool(rng, 600)
        n = 0
        while True:
            n += 1
            if n % 300 == 0:
                faces = face_pool(rng, 600)
            rgb, target = picture(rng, faces, self.size)
            yield torch.from_numpy(rgb.transpose(2, 0, 1).copy()), torch.from_numpy(target)


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--out", type=pathlib.Path, required=True)
    a.add_argument("--hours", type=float, default=1.0)
    a.add_argument("--batch", type=int, default=12)
    a.add_argument("--size", type=int, default=288)
    a.add_argument("--rate", type=float, default=2.5e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--start", type=pathlib.Path, help="checkpoint (.pt) or exported network (.onnx) to go on from")
    o = a.parse_args()
    torch.manual_seed(o.seed)
    net = OutlineNet().to(memory_format=torch.channels_last)
    frozen = o.start is not None and o.start.suffix == ".onnx"
    if frozen:
        load_exported(net, o.start)
    elif o.start:
        net.load_state_dict(torch.load(o.start))
    train(
        net,
        Pictures(o.seed, o.size),
        loss,
        o.out,
        hours=o.hours,
        batch=o.batch,
        rate=o.rate,
        ready=lambda: freeze_norms(net) if frozen else None,
    )
    export(net, o.out, "cells")


if __name__ == "__main__":
    main()
