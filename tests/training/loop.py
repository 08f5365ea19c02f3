"""How a network is trained on pictures that never end, and written as ONNX."""

from __future__ import annotations

import argparse
import math
import pathlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

Loss = Callable[[Tensor, Tensor], tuple[Tensor, dict[str, float]]]
_SAVED_S = 240
"""A checkpoint is written so often."""


class Endless(IterableDataset):  # type: ignore[type-arg]
    """Training pictures without end; every worker has its own random stream.

    Parameters
    ----------
    seed
        Of all streams.
    draw
        Given a stream, yields (channels, H, W) uint8 and their targets.
    """

    def __init__(self, seed: int, draw: Callable[[np.random.Generator], Iterator[tuple[Any, Any]]]) -> None:
        self.seed, self.draw = seed, draw

    def __iter__(self):  # type: ignore[no-untyped-def]
        info = get_worker_info()
        cv2.setNumThreads(1)
        for shown, target in self.draw(np.random.default_rng([self.seed, info.id if info else 0])):
            yield torch.from_numpy(np.ascontiguousarray(shown)), torch.from_numpy(target)


def add_options(parser: argparse.ArgumentParser, *, hours: float, batch: int, size: int, rate: float) -> None:
    """What every training is told, with what is usual for this one."""
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--hours", type=float, default=hours)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--size", type=int, default=size)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--workers", type=int, default=1, help="how many draw pictures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint (.pt) to go on from")


def begun(net: Callable[[], nn.Module], seed: int, start: pathlib.Path | None) -> Any:
    """The network to be trained: a new one, or as a checkpoint left it."""
    torch.manual_seed(seed)
    cv2.setNumThreads(1)  # threads of before a fork would be waited for in it for ever
    made = net().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if start is not None:
        made.load_state_dict(torch.load(start))
    return made


def train(
    net: nn.Module,
    pictures: IterableDataset[Any],
    loss: Loss,
    out: pathlib.Path,
    *,
    hours: float,
    batch: int,
    rate: float,
    workers: int = 1,
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Train for so many hours; the weights lie beside `out`, as .pt.

    Parameters
    ----------
    net
        In the memory format channels last.
    pictures
        Yields (channels, H, W) uint8 and their targets.
    loss
        Of an answer and a target: what is made small, and its parts by name.
    out
        The network to be exported.
    hours, batch, rate
        How long, how many pictures a step, and the highest rate of learning.
    workers
        How many processes draw the pictures.
    ready
        Called whenever the network was told that it is trained.
    """
    torch.set_num_threads(1)  # other cores draw the pictures
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3, foreach=True)
    data = iter(DataLoader(pictures, batch_size=batch, num_workers=workers, prefetch_factor=4))
    step = 0
    mean: dict[str, float] = {}
    began = saved = time.time()
    while (spent := (time.time() - began) / 3600) < hours:
        now = rate * min(1.0, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * spent / hours)) + 1e-5
        for g in optimiser.param_groups:
            g["lr"] = now
        x, y = next(data)
        net.train()
        ready()
        with torch.autocast("cpu", torch.bfloat16):
            told = net((x.float() / 255).contiguous(memory_format=torch.channels_last))
        total, stats = loss(told.float(), y.float())
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        for k, v in stats.items():
            mean[k] = mean.get(k, v) * 0.98 + v * 0.02
        if step % 50 == 0:
            parts = " ".join(f"{k} {v:.4f}" for k, v in mean.items())
            print(f"{step} {spent * 60:.1f} min rate {now:.5f} {parts}", flush=True)
        if time.time() - saved > _SAVED_S:
            saved = time.time()
            torch.save(net.state_dict(), out.with_suffix(".pt"))
    torch.save(net.state_dict(), out.with_suffix(".pt"))


def export(
    net: nn.Module,
    out: pathlib.Path,
    answer: str,
    channels: int = 3,
    *,
    shown: str = "rgb",
    size: tuple[int, int] = (384, 640),
    free: Mapping[str, Mapping[int, str]] | None = None,
) -> None:
    """Write the network, with free picture size as a rule.

    Parameters
    ----------
    net, out
        The network, and the file.
    answer, shown
        Names of what it puts out and of what it is shown.
    channels, size
        Of what it is shown: (1, channels, height, width).
    free
        For each of these two names the axes that may be of any length.
    """
    net.eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net.float().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, channels, *size),),
        str(out),
        input_names=[shown],
        output_names=[answer],
        dynamic_axes=free or {shown: {2: "h", 3: "w"}, answer: {2: "h_out", 3: "w_out"}},
        dynamo=False,
        opset_version=17,
    )


def halve(path: pathlib.Path) -> None:
    """Keep the weights with half the digits; whoever runs the network makes them whole again."""
    model = onnx.load(str(path))
    casts = []
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype == np.float32 and values.size > 64:
            name = weight.name
            weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + "_half"))
            casts.append(helper.make_node("Cast", [name + "_half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(path))
