"""Train the network that finds the rims of laid pieces of Cactus and write it as ONNX.

    python -m tests.training.train_rims --out rims.onnx --hours 1

Needs the `training` extra (PyTorch). Pictures are drawn for it; half of the strips are of photographs or rendered
pictures where folders of those are named: enrolment cases of Cactus, with the outlines of all pieces in `truth.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from calibration.capture.cactus.rim_net import SAMPLES_ACROSS
from tests.training.loop import Endless, add_options, begun, export, halve, train
from tests.training.rim_data import PLACES, Strips
from tests.training.rim_net import RimNet, loss
from tests.training.rim_photos import Photo, PhotoStrips, read_photos


def main() -> None:
    """Train and export."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--photos", type=Path, nargs="*", default=[], metavar="DIR", help="enrolment cases of Cactus")
    add_options(a, hours=0.5, batch=64, size=192, rate=2e-3)
    o = a.parse_args()
    net = begun(RimNet, o.seed, o.start)
    photos = [p for folder in tqdm(o.photos) for p in read_photos(folder)]
    strips = Endless(o.seed, lambda rng: _both(rng, o.size, photos))
    train(net, strips, loss, o.out, hours=o.hours, batch=o.batch, rate=o.rate, workers=o.workers)
    free = {"strip": {0: "n", 2: "places"}, "rim": {0: "n_out", 2: "places_out"}}
    export(net, o.out, "rim", 10, shown="strip", size=(PLACES, SAMPLES_ACROSS), free=free)
    halve(o.out)


def _both(rng: np.random.Generator, size: int, photos: list[Photo]) -> Iterator[tuple[Any, Any]]:
    """Strips of drawn plates and, where there are some, as many of photographs."""
    drawn = Strips(rng).mixed(size)
    seen = PhotoStrips(rng, photos).mixed() if photos else drawn
    while True:
        yield next(drawn)
        yield next(seen)


if __name__ == "__main__":
    main()
