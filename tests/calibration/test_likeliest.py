"""More pieces than the game has are not believed."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.capture.cactus.deck import PIECES, _likeliest


@dataclass
class _Photo:
    chances: tuple[float, ...]

    def only(self, which: list[int]) -> _Photo:
        return _Photo(tuple(self.chances[i] for i in which))


def test_the_least_likely_of_too_many_are_left_out() -> None:
    """As many as there are too many, on whichever photo they are."""
    kept, spots = _likeliest([_Photo((0.95,) * 20 + (0.8, 0.85)), _Photo((0.94,) * 15 + (0.75,))])  # type: ignore[list-item]
    assert spots == 3
    assert [len(p.chances) for p in kept] == [20, 15]


def test_a_piece_that_lies_on_two_photos_stays() -> None:
    """What surely is a piece is none too many; and nothing is left out where there are not too many."""
    for photos in ([_Photo((0.97,) * 20), _Photo((0.96,) * 20)], [_Photo((0.8,) * PIECES)]):
        assert _likeliest(photos) == (photos, 0)  # type: ignore[arg-type]
