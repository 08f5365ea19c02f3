"""The network that cuts out laid pieces: for every pixel how deep within a face it lies, and whether it is a plate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.training.laid_scene import REACH
from tests.training.layers import PixelNet


class LaidNet(PixelNet):
    """(n, 6, H, W) RGB in 0..1, H and W multiples of 32 -> (n, 2, H, W).

    Beside the picture it is shown the table's colour there, as it would be with nothing on it. It tells
    the distance within a face from its rim in px, negative outside, and the log odds of a plate, sides and all.
    """

    def __init__(self, widths: tuple[int, int, int, int, int] = (20, 32, 48, 64, 72)) -> None:
        super().__init__(6, widths, 32, rounds=True)

    def seen(self, x: Tensor) -> Tensor:
        """The picture, and how it differs from the table."""
        rgb, table = x[:, :3], x[:, 3:]
        return torch.cat([rgb * 4 - 2, (rgb - table) * 6], 1)


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
