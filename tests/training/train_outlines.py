"""Train the outline network on pictures from the project's own generator and write it as ONNX.

    python -m tests.training.train_outlines --out vision/models/outlines.onnx --hours 1

Needs the `training` extra (PyTorch). About 25,000 pictures, an hour on two cores.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import time

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

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


def export(net: OutlineNet, out: pathlib.Path) -> None:
    """Write the network with free picture size."""
    net.eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net.float().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, 384, 640),),
        str(out),
        input_names=["rgb"],
        output_names=["cells"],
        dynamic_axes={"rgb": {2: "h", 3: "w"}, "cells": {2: "h4", 3: "w4"}},
        dynamo=False,
        opset_version=17,
    )


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
    torch.set_num_threads(1)  # the other core draws the pictures
    net = OutlineNet().to(memory_format=torch.channels_last)
    frozen = o.start is not None and o.start.suffix == ".onnx"
    if frozen:
        load_exported(net, o.start)
    elif o.start:
        net.load_state_dict(torch.load(o.start))
    optimiser = torch.optim.AdamW(net.parameters(), lr=o.rate, weight_decay=1e-3, foreach=True)
    data = iter(DataLoader(Pictures(o.seed, o.size), batch_size=o.batch, num_workers=1, prefetch_factor=4))
    began, step, mean = time.time(), 0, {}
    saved = began
    while (spent := (time.time() - began) / 3600) < o.hours:
        rate = o.rate * min(1.0, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * spent / o.hours)) + 1e-5
        for g in optimiser.param_groups:
            g["lr"] = rate
        x, y = next(data)
        x = (x.float() / 255).contiguous(memory_format=torch.channels_last)
        net.train()
        if frozen:
            freeze_norms(net)
        with torch.autocast("cpu", torch.bfloat16):
            out = net(x)
        total, stats = loss(out.float(), y)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        for k, v in stats.items():
            mean[k] = mean.get(k, v) * 0.98 + v * 0.02
        if step % 50 == 0:
            print(
                f"{step} {spent * 60:.1f} min rate {rate:.5f} " + " ".join(f"{k} {v:.4f}" for k, v in mean.items()),
                flush=True,
            )
        if time.time() - saved > 240:
            saved = time.time()
            torch.save(net.state_dict(), o.out.with_suffix(".pt"))
    torch.save(net.state_dict(), o.out.with_suffix(".pt"))
    export(net, o.out)


if __name__ == "__main__":
    main()
