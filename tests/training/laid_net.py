"""The network that cuts out laid pieces: for every pixel how deep within a face it lies, and whether it is a plate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.training.laid_scene import REACH
from tests.training.layers import Block, Conv


class LaidNet(nn.Module):
    """(n, 6, H, W) RGB in 0..1, H and W multiples of 32 -> (n, 2, H, W).

    Beside the picture it is shown the table's colour there, as it would be with nothing on it. It tells
    the distance within a face from its rim in px, negative outside, and the log odds of a plate, sides and all.
    """

    def __init__(self, widths: tuple[int, int, int, int, int] = (20, 32, 48, 64, 72)) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s2 = nn.Sequential(Conv(6, a, 5, 2), Block(a))
        self.s4 = nn.Sequential(Conv(a, b, 3, 2), Block(b))
        self.s8 = nn.Sequential(Conv(b, c, 3, 2), Block(c), Block(c))
        self.s16 = nn.Sequential(Conv(c, d, 3, 2), Block(d), Block(d, 2))
        self.s32 = nn.Sequential(Conv(d, e, 3, 2), Block(e), Block(e, 2))
        self.u16, self.f16 = Conv(e, d, 1), Block(d)
        self.u8, self.f8 = Conv(d, c, 1), Block(c)
        self.u4, self.f4 = Conv(c, b, 1), Block(b)
        self.u2, self.f2 = Conv(b, a, 1), nn.Sequential(Block(a), Conv(a, 32))
        self.head = nn.Conv2d(32, 8, 1)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.fine = nn.PixelShuffle(2)

    def forward(self, x: Tensor) -> Tensor:
        rgb, table = x[:, :3], x[:, 3:]
        s2 = self.s2(torch.cat([rgb * 4 - 2, (rgb - table) * 6], 1))
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
    """How far distances are off, most near rims, and the cross entropies of what is a face and what a plate."""
    told, true = out[:, 0], target[:, 0]
    near = 1 + 3 * (true.abs() < 2.5).float()
    off = (told.clamp(-1.25 * REACH, 1.25 * REACH) - true).abs()
    # beyond the reach any distance is right
    off = torch.where((true >= REACH) & (told > REACH) | (true <= -REACH) & (told < -REACH), 0.0 * off, off)
    face = (off * near).mean()
    shown = (true + 0.5).clamp(0, 1)
    side = nn.functional.binary_cross_entropy_with_logits(1.5 * told, shown)
    body = nn.functional.binary_cross_entropy_with_logits(out[:, 1], target[:, 1])
    rim = off[true.abs() < 1.5].mean() if (true.abs() < 1.5).any() else face
    parts = {"face": face, "rim": rim, "side": side, "plate": body}
    return face + 2 * side + body, {k: float(v.detach()) for k, v in parts.items()}
