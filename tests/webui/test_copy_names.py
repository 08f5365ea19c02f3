"""Names that a person gives to what was found alike stay with it, whatever photographs come and go."""

from __future__ import annotations

from typing import Any

from webui.owncopy.naming import tap
from webui.owncopy.own_copy import Kind, OwnCopy
from webui.sight.copies.deck import kinds_of
from webui.sight.copies.found import Reading
from webui.sight.copies.names import keep_places, named

Json = dict[str, Any]
USUAL = {"elements": ("fire", "water", "earth", "air", "magic")}
STONES = ("kind-1", "kind-2", "kind-3", "kind-4", "kind-5")
WORDS = dict(zip(STONES, ("Key", "Ink", "Oar", "Elk", "Yew"), strict=True))


def _card(photo: str, place: int, stone: str) -> Json:
    x = 100.0 * place
    quad = [[x, 0.0], [x + 59, 0.0], [x + 59, 92.0], [x, 92.0]]
    fields = {"center": stone, "edge": {stone: 5}}
    seen = {"photo": photo, "quad": quad}
    return {"id": f"{photo}-{place}", "group": "faces", "fields": fields, "asks": [], "sightings": [seen]}


def _reading(photos: dict[str, tuple[str, ...]]) -> Reading:
    parts = [_card(photo, n, stone) for photo, stones in photos.items() for n, stone in enumerate(stones)]
    stones = sorted({p["fields"]["center"] for p in parts})
    first = {s: next(n for n, p in enumerate(parts) if p["fields"]["center"] == s) for s in stones}
    kinds = [{"sort": "elements", "key": s, "part": first[s]} for s in stones]
    return Reading({"elements": stones}, parts, kinds, ())


def test_names_stay_with_their_kinds_when_a_photo_is_taken_out() -> None:
    """All five written names outlive the photo on which they were given, though kinds are numbered anew."""
    both = _reading({"00.jpg": STONES, "01.jpg": STONES})
    names: list[Json] = []
    for key, word in WORDS.items():
        names = named("rox", both, names, key, word, USUAL)
    kept = keep_places(
        {"game": "rox", "names": names, "answers": [], "before": [{"names": names, "answers": []}]}, both
    )
    anew = dict(zip(STONES, (*STONES[1:], STONES[0]), strict=True))
    after = _reading({"01.jpg": tuple(anew[s] for s in STONES)})
    called = {k.key: k.name for k in kinds_of("rox", after, kept["names"])}
    assert called == {anew[key]: word for key, word in WORDS.items()}
    assert {k.name for k in kinds_of("rox", after, kept["before"][0]["names"])} == set(WORDS.values())


def test_the_name_with_most_places_has_the_last_word() -> None:
    """A card that is read as another kind afterwards takes its name along only where that kind has none of its own."""
    both = _reading({"00.jpg": STONES, "01.jpg": STONES})
    names = named("rox", both, [], "kind-2", "Ink", USUAL)
    names = named("rox", both, names, "kind-1", "Key", USUAL)
    kept = keep_places({"game": "rox", "names": names, "answers": []}, both)["names"]
    kept[1]["more"] = kept[1]["more"][:1]
    after = _reading({"00.jpg": ("kind-2", "kind-2", *STONES[2:]), "01.jpg": ("kind-2", "kind-2", *STONES[2:])})
    called = {k.key: k.name for k in kinds_of("rox", after, kept)}
    assert called["kind-2"] == "Ink"


def test_a_single_picture_is_no_question_with_one_answer() -> None:
    """Where one picture has no name yet, the names that are left are the answers."""
    kinds = tuple(Kind(n, "elements", key, "" if n == 4 else WORDS[key]) for n, key in enumerate(STONES))
    wanted = tap(OwnCopy("mine", "Mine", "rox", kinds=kinds, suggested=USUAL))
    assert wanted is not None
    assert [k.key for k in wanted["kinds"]] == ["kind-5"]
    assert list(wanted["names"]) == ["fire", "water", "earth", "air", "magic"]
