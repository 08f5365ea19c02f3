"""The plate network: a small U-shaped network of plain convolutions that answers for every pixel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.training.layers import PixelNet


class PlateNet(PixelNet):
    """(n, 3, H, W) RGB in 0..1, H and W multiples of 32 -> (n, 2, H, W) log odds of a painted face and of an edge."""

    def __init__(self, widths: tuple[int, int, int, int, int] = (16, 32, 48, 64, 64)) -> None:
        super().__init__(3, widths, 24, rounds=False)


def loss(out: Tensor, target: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of both answers; edges are rare and weigh more."""
    bce = nn.functional.binary_cross_entropy_with_logits
    face = bce(out[:, 0], target[:, 0])
    edge = bce(out[:, 1], target[:, 1], pos_weight=torch.tensor(3.0))
    return face + 0.4 * edge, {"face": float(face.detach()), "edge": float(edge.detach())}
