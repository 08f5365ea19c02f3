"""The network that finds rims: for every place along a rough outline how far outward the rim lies, and how surely."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.training.layers import Conv

_MARGIN = 12  # places at the ends of a strip that do not see enough of it


class _Along(nn.Module):
    """A block of convolutions that look farther along an outline than across it."""

    def __init__(self, c: int, dilation: int) -> None:
        super().__init__()
        self.a = Conv(c, c)
        self.b = nn.Sequential(nn.Conv2d(c, c, 3, 1, (dilation, 1), (dilation, 1), bias=False), nn.BatchNorm2d(c))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))


def _convolved(
    a: int,
    b: int,
    kernel: tuple[int, int],
    stride: tuple[int, int] = (1, 1),
    pad: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
) -> nn.Sequential:
    """Convolution, norm and rectifier, other along an outline than across it."""
    return nn.Sequential(nn.Conv2d(a, b, kernel, stride, pad, dilation, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class RimNet(nn.Module):
    """(n, 10, places, 41) strips in 0..1 -> (n, 2, places): px outward, and the logarithm of their usual error."""

    def __init__(self, widths: tuple[int, int, int] = (16, 24, 36), told: int = 80) -> None:
        super().__init__()
        a, b, c = widths
        self.first = nn.Sequential(Conv(13, a), _Along(a, 1))
        self.second = nn.Sequential(*_convolved(a, b, (3, 3), (1, 2), (1, 1)), _Along(b, 2))
        self.third = nn.Sequential(*_convolved(b, c, (3, 3), (1, 2), (1, 1)), _Along(c, 4), _Along(c, 2))
        self.across = _convolved(c, told, (1, 11))
        self.along = nn.Sequential(
            *_convolved(told, told, (5, 1), pad=(2, 0)),
            *_convolved(told, told, (5, 1), pad=(6, 0), dilation=(3, 1)),
        )
        self.head = nn.Conv2d(told, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        rgb, table, face, side = x[:, :3], x[:, 3:6], x[:, 6:9], x[:, 9:]
        shown = torch.cat([rgb * 4 - 2, (rgb - table) * 6, (rgb - face) * 6, (face - table) * 3, side * 4 - 2], 1)
        y = self.across(self.third(self.second(self.first(shown))))
        out: Tensor = self.head(y + self.along(y))[..., 0]
        return out


def loss(out: Tensor, target: Tensor) -> tuple[Tensor, dict[str, float]]:
    """How unlikely the true offsets are, if errors are as large as was told."""
    inner = slice(_MARGIN, -_MARGIN)
    out, target = out[..., inner], target[..., inner]
    known = target[:, 1]
    off = (out[:, 0] - target[:, 0]).abs()
    doubt = out[:, 1].clamp(-4.0, 3.0)
    count = known.sum().clamp(min=1)
    told = ((off * torch.exp(-doubt) + doubt) * known).sum() / count
    near = (off * known).sum() / count
    clear = known * (target[:, 0].abs() < 1.0)
    parts = {"told": told, "off": near, "near": (off * clear).sum() / clear.sum().clamp(min=1)}
    return told + near, {k: float(v.detach()) for k, v in parts.items()}
