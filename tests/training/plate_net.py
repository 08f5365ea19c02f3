"""The plate network: a small U-shaped network of plain convolutions that answers for every pixel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.training.layers import Block, Conv


class PlateNet(nn.Module):
    """(n, 3, H, W) RGB in 0..1, H and W multiples of 32 -> (n, 2, H, W) log odds of a painted face and of an edge."""

    def __init__(self, widths: tuple[int, int, int, int, int] = (16, 32, 48, 64, 64)) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s2 = Conv(3, a, 5, 2)
        self.s4 = nn.Sequential(Conv(a, b, 3, 2), Block(b))
        self.s8 = nn.Sequential(Conv(b, c, 3, 2), Block(c), Block(c))
        self.s16 = nn.Sequential(Conv(c, d, 3, 2), Block(d), Block(d, 2))
        self.s32 = nn.Sequential(Conv(d, e, 3, 2), Block(e), Block(e, 2))
        self.u16, self.f16 = Conv(e, d, 1), Block(d)
        self.u8, self.f8 = Conv(d, c, 1), Block(c)
        self.u4, self.f4 = Conv(c, b, 1), Block(b)
        self.u2, self.f2 = Conv(b, a, 1), Conv(a, 24)
        self.head = nn.Conv2d(24, 8, 1)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.fine = nn.PixelShuffle(2)

    def forward(self, x: Tensor) -> Tensor:
        s2 = self.s2(x * 4 - 2)
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        y = self.f16(s16 + self.up(self.u16(self.s32(s16))))
        y = self.f8(s8 + self.up(self.u8(y)))
        y = self.f4(s4 + self.up(self.u4(y)))
        y = self.f2(s2 + self.up(self.u2(y)))
        out: Tensor = self.fine(self.head(y))
        return out


def loss(out: Tensor, target: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both answers; edges are rare and weigh more."""
    bce = nn.functional.binary_cross_entropy_with_logits
    face = bce(out[:, 0], target[:, 0])
    edge = bce(out[:, 1], target[:, 1], pos_weight=torch.tensor(3.0))
    return face + 0.4 * edge, {"face": float(face.detach()), "edge": float(edge.detach())}
