"""How colours look to eyes that see them differently.

The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15(6), 2009, at full severity, applied to linear RGB.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.art.canvas import Colour

Lab = NDArray[np.float64]

DEFICIENCIES: dict[str, NDArray[np.float64]] = {
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: Colour) -> NDArray[np.float64]:
    """Linear RGB, 0 to 1, of an sRGB colour of 0 to 255."""
    c = np.asarray(colour, dtype=np.float64) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(colour: Colour, deficiency: str | None = None) -> Lab:
    """CIE L*a*b* (D65) of an sRGB colour as seen with a colour vision deficiency.

    Parameters
    ----------
    deficiency
        A key of `DEFICIENCIES`, or None for common vision.

    Returns
    -------
    (3,) L* from 0 to 100, a*, b*.
    """
    c = linear(colour)
    if deficiency is not None:
        c = np.clip(DEFICIENCIES[deficiency] @ c, 0, 1)
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    t = to_xyz @ c / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
