"""Train the network that finds the rims of laid pieces of Cactus and write it as ONNX.

    python -m tests.training.train_rims --out rims.onnx --hours 1

Needs the `training` extra (PyTorch). Every picture is drawn for it.
"""

from __future__ import annotations

import argparse

from calibration.capture.cactus.rim_net import SAMPLES_ACROSS
from tests.training.loop import Endless, add_options, begun, export, halve, train
from tests.training.rim_data import PLACES, Strips
from tests.training.rim_net import RimNet, loss


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(a, hours=0.5, batch=64, size=192, rate=2e-3)
    o = a.parse_args()
    net = begun(RimNet, o.seed, o.start)
    strips = Endless(o.seed, lambda rng: Strips(rng).mixed(o.size))
    train(net, strips, loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate, workers=o.workers)
    free = {"strip": {0: "n", 2: "places"}, "rim": {0: "n_out", 2: "places_out"}}
    export(net, o.out, "rim", 10, shown="strip", size=(PLACES, SAMPLES_ACROSS), free=free)
    halve(o.out)


if __name__ == "__main__":
    main()
