"""Cards that lie apart are found, of whatever size they are."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from calibration.capture import card_company
from vision.types import Quad

SIZE_MM = (59.0, 92.0)
QUAD = np.array([[0.0, 0.0], [59.0, 0.0], [59.0, 92.0], [0.0, 92.0]])


@pytest.mark.parametrize("seen", [(1.50, 1.55), (1.6, 1.7), (9.0, 9.0)])
def test_sizes_with_which_no_plane_is_found_are_no_trouble(
    seen: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where the first tried has one and the next has none, nor where none has: nothing is warned of."""

    def plane(_: object, sizes: Sequence[tuple[float, float]], *__: object) -> SimpleNamespace | None:
        across, along = sizes[0]
        if not seen[0] < along / across < seen[1]:
            return None
        return SimpleNamespace(pose_of=lambda *_: (None, np.float64(0.1 * across)))

    def same(quads: Sequence[Quad], *_: object) -> list[Quad]:
        return list(quads)

    monkeypatch.setattr(card_company, "estimate_plane", plane)
    monkeypatch.setattr(card_company, "upright_on_a_plane", same)
    size, found, quads = card_company._size_and_plane([QUAD], [SIZE_MM], (400, 300))
    assert len(quads) == 1
    if found is None:
        assert size == SIZE_MM
    else:
        assert seen[0] <= size[1] / size[0] <= seen[1]
