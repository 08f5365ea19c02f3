"""The outline network: a small U-shaped network of plain convolutions, a quarter of the resolution out."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from tests.training.layers import Block, Conv

CHANNELS = 10
"""card, boundary, offset x, y, shape xx, xy, yy, cos 4a, sin 4a, log of the relative error."""


class OutlineNet(nn.Module):
    """(n, 3, H, W) RGB in 0..1, H and W multiples of 32 -> (n, CHANNELS, H / 4, W / 4)."""

    def __init__(self, widths: tuple[int, int, int, int, int] = (16, 32, 64, 104, 144)) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s2 = Conv(3, a, 5, 2)
        self.s4 = nn.Sequential(Conv(a, b, 3, 2), Block(b))
        self.s8 = nn.Sequential(Conv(b, c, 3, 2), Block(c), Block(c))
        self.s16 = nn.Sequential(Conv(c, d, 3, 2), Block(d), Block(d, 2))
        self.s32 = nn.Sequential(Conv(d, e, 3, 2), Block(e), Block(e, 2), Block(e, 4))
        self.u16, self.f16 = Conv(e, d, 1), Block(d)
        self.u8, self.f8 = Conv(d, c, 1), Block(c)
        self.u4, self.f4 = Conv(c, b, 1), Conv(b, 48)
        self.head = nn.Sequential(Conv(48, 48), nn.Conv2d(48, CHANNELS, 1))
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)

    def forward(self, x: Tensor) -> Tensor:
        s4 = self.s4(self.s2(x * 4 - 2))
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        s32 = self.s32(s16)
        y = self.f16(s16 + self.up(self.u16(s32)))
        y = self.f8(s8 + self.up(self.u8(y)))
        y = self.f4(s4 + self.up(self.u4(y)))
        out: Tensor = self.head(y)
        return out


def load_exported(net: OutlineNet, path: Path) -> None:
    """Take over the weights of an exported network, whose norms are part of its convolutions; they become fixed.

    Training that goes on from there keeps the norms as they are (`freeze_norms`).
    """
    graph = onnx.load(str(path)).graph
    values = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
    nodes = [n for n in graph.node if n.op_type == "Conv"]
    convs = [m for m in net.modules() if isinstance(m, nn.Conv2d)]
    norms = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    order = _order(net)
    if not len(nodes) == len(convs) == len(order):
        raise ValueError(f"{path}: is a network of another shape")
    with torch.no_grad():
        for node, (conv, norm) in zip(nodes, order, strict=True):
            conv.weight.copy_(values[node.input[1]])
            if norm is None:
                assert conv.bias is not None
                conv.bias.copy_(values[node.input[2]])
            else:
                norm.bias.copy_(values[node.input[2]])
    for norm in norms:
        norm.weight.data.fill_(1.0)
        norm.running_mean.zero_()  # type: ignore[operator]
        norm.running_var.fill_(1.0 - norm.eps)  # type: ignore[operator]


def _order(net: OutlineNet) -> list[tuple[nn.Conv2d, nn.BatchNorm2d | None]]:
    """Convolutions in the order in which a picture runs through them, each with its norm."""
    seen: list[nn.Conv2d | nn.BatchNorm2d] = []
    hooks = [
        m.register_forward_hook(lambda m, _i, _o: seen.append(m))
        for m in net.modules()
        if isinstance(m, nn.Conv2d | nn.BatchNorm2d)
    ]
    was = net.training
    net.eval()
    with torch.no_grad():
        net(torch.zeros(1, 3, 64, 64))
    net.train(was)
    for hook in hooks:
        hook.remove()
    out: list[tuple[nn.Conv2d, nn.BatchNorm2d | None]] = []
    for m in seen:
        if isinstance(m, nn.Conv2d):
            out.append((m, None))
        else:
            out[-1] = (out[-1][0], m)
    return out


def freeze_norms(net: OutlineNet) -> None:
    """Keep the statistics of every norm as they are."""
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eval()


def loss(out: Tensor, target: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Weighted sum of classification and of the regression's likelihood under a Laplace error of predicted width."""
    card, weight = target[:, 0], target[:, 10]
    bce = nn.functional.binary_cross_entropy_with_logits
    l_card = bce(out[:, 0], card)
    l_edge = bce(out[:, 1], target[:, 1], pos_weight=torch.tensor(3.0))
    size = target[:, 9:10].clamp(min=0.1)
    centre = (out[:, 2:4] - target[:, 2:4]).abs().sum(1) / size[:, 0]
    shape = (out[:, 4:7] - target[:, 4:7]).abs().sum(1) / size[:, 0]
    turn = (out[:, 7:9] - target[:, 7:9]).abs().sum(1)
    err = centre + 0.7 * shape + 0.6 * turn
    b = out[:, 9].clamp(-5, 3)
    nll = err * torch.exp(-b) + b
    n = weight.sum().clamp(min=1)
    l_reg = (nll * weight).sum() / n
    l_err = (err.clamp(max=4) * weight).sum() / n
    total = l_card + 0.7 * l_edge + 0.2 * l_reg + 1.5 * l_err
    stats = {
        "card": l_card,
        "edge": l_edge,
        "centre": (centre * weight).sum() / n,
        "shape": (shape * weight).sum() / n,
        "turn": (turn * weight).sum() / n,
    }
    return total, {k: float(v.detach()) for k, v in stats.items()}
