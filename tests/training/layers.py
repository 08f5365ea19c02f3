"""The layers of which the networks are built."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Conv(nn.Sequential):
    """Convolution, norm and rectifier."""

    def __init__(self, a: int, b: int, k: int = 3, stride: int = 1) -> None:
        super().__init__(nn.Conv2d(a, b, k, stride, k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class Block(nn.Module):
    """Two convolutions beside a way round them."""

    def __init__(self, c: int, dilation: int = 1) -> None:
        super().__init__()
        self.a = Conv(c, c)
        self.b = nn.Sequential(nn.Conv2d(c, c, 3, 1, dilation, dilation, bias=False), nn.BatchNorm2d(c))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))
