"""The layers of which the networks are built, and the U that those have in common that tell every pixel."""

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


class PixelNet(nn.Module):
    """A U of plain convolutions: pictures of so many channels, H and W multiples of 32, -> (n, 2, H, W).

    Parameters
    ----------
    shown
        Channels of a picture, as `seen` prepares it.
    widths
        Channels at a half, a quarter … of the picture's scale.
    told
        Channels from which a pixel's answers are told.
    rounds
        Whether there is a block more at half scale, on the way down and on the way up.
    """

    def __init__(self, shown: int, widths: tuple[int, int, int, int, int], told: int, rounds: bool) -> None:
        super().__init__()
        a, b, c, d, e = widths
        first, last = Conv(shown, a, 5, 2), Conv(a, told)
        self.s2 = nn.Sequential(first, Block(a)) if rounds else first
        self.s4 = nn.Sequential(Conv(a, b, 3, 2), Block(b))
        self.s8 = nn.Sequential(Conv(b, c, 3, 2), Block(c), Block(c))
        self.s16 = nn.Sequential(Conv(c, d, 3, 2), Block(d), Block(d, 2))
        self.s32 = nn.Sequential(Conv(d, e, 3, 2), Block(e), Block(e, 2))
        self.u16, self.f16 = Conv(e, d, 1), Block(d)
        self.u8, self.f8 = Conv(d, c, 1), Block(c)
        self.u4, self.f4 = Conv(c, b, 1), Block(b)
        self.u2, self.f2 = Conv(b, a, 1), nn.Sequential(Block(a), last) if rounds else last
        self.head = nn.Conv2d(told, 8, 1)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.fine = nn.PixelShuffle(2)

    def seen(self, x: Tensor) -> Tensor:
        """What the network looks at of a picture in 0..1."""
        return x * 4 - 2

    def forward(self, x: Tensor) -> Tensor:
        s2 = self.s2(self.seen(x))
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        y = self.f16(s16 + self.up(self.u16(self.s32(s16))))
        y = self.f8(s8 + self.up(self.u8(y)))
        y = self.f4(s4 + self.up(self.u4(y)))
        y = self.f2(s2 + self.up(self.u2(y)))
        out: Tensor = self.fine(self.head(y))
        return out
