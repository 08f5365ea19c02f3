"""Train the outline network on pictures from the project's own generator and write it as ONNX.

    python -m tests.training.train_outlines --out vision/models/outlines.onnx --hours 1

Needs the `training` extra (PyTorch). About 25,000 pictures, an hour on two cores.
`--start` takes a network that was written (.onnx), too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.training.loop import Endless, add_options, begun, export, train
from tests.training.outline_data import face_pool, picture
from tests.training.outline_net import OutlineNet, freeze_norms, load_exported, loss

_FACES, _AGAIN = 600, 300
"""Faces at a time, and after how many pictures there are others."""


def drawn(rng: np.random.Generator, size: int) -> Iterator[tuple[Any, Any]]:
    """Pictures without end."""
    while True:
        faces = face_pool(rng, _FACES)
        for _ in range(_AGAIN):
            rgb, target = picture(rng, faces, size)
            yield rgb.transpose(2, 0, 1), target


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(a, hours=1.0, batch=12, size=288, rate=2.5e-3)
    o = a.parse_args()
    frozen = o.start is not None and o.start.suffix == ".onnx"
    net = begun(OutlineNet, o.seed, None if frozen else o.start)
    if frozen:
        load_exported(net, o.start)
    train(
        net,
        Endless(o.seed, lambda rng: drawn(rng, o.size)),
        loss,
        o.out,
        hours=o.hours,
        batch=o.batch,
        rate=o.rate,
        workers=o.workers,
        ready=lambda: freeze_norms(net) if frozen else None,
    )
    export(net, o.out, "cells")


if __name__ == "__main__":
    main()
