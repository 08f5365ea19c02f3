"""Train the network that cuts out laid pieces of Cactus and write it as ONNX.

    python -m tests.training.train_laid --out laid.onnx --hours 3

Needs the `training` extra (PyTorch). Every picture is drawn for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.training.laid_data import Drawer
from tests.training.laid_net import LaidNet, loss
from tests.training.loop import Endless, add_options, begun, export, halve, train


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(a, hours=0.5, batch=14, size=192, rate=3e-3)
    o = a.parse_args()
    net = begun(LaidNet, o.seed, o.start)

    def draw(rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
        return ((rgb.transpose(2, 0, 1), target) for rgb, target in Drawer(rng).mixed(o.size))

    train(net, Endless(o.seed, draw), loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate, workers=o.workers)
    export(net, o.out, "laid", 6)
    halve(o.out)


if __name__ == "__main__":
    main()
