"""`referee enroll`: photographs of one's own copy become a deck folder."""

from __future__ import annotations

import argparse
import hashlib
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from calibration.capture.cactus.deck import CACTI
from calibration.capture.cactus.sizes import BASE, BASE_SIDES, HEIGHT, LENGTH, THICKNESS, WHOLE
from calibration.capture.conex.deck import BOARD
from calibration.capture.deck import ALL, AS_LAID, AS_READ, CENTER, EDGE, TOP, Enrolled, Part, Photo, Wishes
from calibration.capture.sense import nonsense
from scoring.deck import parse_deck
from scoring.errors import DeckError, RefereeError
from scoring.usual_sizes import CACTUS, CARD, Usual
from vision.sources.photos import load_photo
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.enroll_answers import check_answers, read_answers
from webui.commands.enroll_said import beside_all, read_examples
from webui.commands.nameless import nameless, told, with_pictures
from webui.commands.photo_names import short_names
from webui.commands.scene import tell
from webui.commands.steps_said import steps_said
from webui.paths import can_be_written, check_leads_somewhere
from webui.sight.copies.readers import READERS, costs
from webui.sight.decks.keeping import keep_deck

ANY_CARD = Usual(60, 5, 1000)
"""Cards of any game, as small as tokens and as large as sheets."""
USUAL_CARD_MM = (59.0, 92.0)
PIXELS_TOGETHER_MAX = 300_000_000
"""All photos are in memory at once."""
SORTS = {"faces": "cards", "scoring": "scoring cards"}
MEASURES = {
    LENGTH: "how long it is, from end to end",
    HEIGHT: "how high it is, over its base",
    BASE: f"the block it stands in, {', '.join(BASE_SIDES)}",
    THICKNESS: "how thick it is, and all pieces",
}
_CARDS_APART = "lay the cards apart, face up, none on another, in good light without glare"
MENDS = {
    "rox": f"{_CARDS_APART}, and give the size of a card with --card-mm where it is another",
    "conex": f"{_CARDS_APART}, and give the size of a card with --card-mm where it is another",
    "any": f"{_CARDS_APART}, and give the size of a card with --card-mm where it is another",
    "cactus": "lay the pieces flat and apart on a sheet of plain white paper, about a dozen a photo",
}
"""How photos are taken on which more is found."""
WIDTH = 100  # letters of a line for a person
NAMED_MAX = 12  # of the faces and pieces that are asked about


def enroll(args: argparse.Namespace) -> int:
    """Read the copy, write its folder and print what was read."""
    _check_sizes(args)
    for option, given, games in (
        ("--board", args.board, ("conex",)),
        ("--cactus-height", args.cactus_height, ("cactus",)),
        ("--card-mm", args.card_mm, ("rox", "conex", "any")),
    ):
        if given is not None and args.game not in games:
            complain(f"{option}: tells nothing of {args.game}, and is passed over")
    check_leads_somewhere(args.out)
    if args.out.exists() and not args.out.is_dir():
        raise RefereeError(f"{args.out}: is no folder; name one for the deck with --out")
    if (args.out / "deck.json").exists() and not args.force:
        raise RefereeError(f"{args.out}: holds a deck already; name another folder, or write over it with --force")
    if not can_be_written(args.out):
        raise RefereeError(f"{args.out}: cannot be written; name another folder for the deck with --out")
    photos, status = _photos(args.photos)
    if not photos:
        return UNUSABLE
    called = short_names(p.name for p in photos)
    wishes = Wishes(
        (float(args.card_mm[0]), float(args.card_mm[1])) if args.card_mm else USUAL_CARD_MM,
        read_examples(args.examples, args.photos, photos),
        read_answers(args.answers, args.game),
        args.cactus_height,
        None if args.board is None else Photo(str(args.board), load_photo(args.board)),
    )
    with steps_said("reading", len(costs(args.game, len(photos)))) as said:
        found = READERS[args.game](photos, wishes, said)
    why = nonsense(args.game, found, wishes.card_mm) if found.parts else "; ".join(found.remarks) or "nothing was found"
    if why:
        names = ", ".join(called[p.name] for p in photos[:NAMED_MAX]) + (" and more" if len(photos) > NAMED_MAX else "")
        raise RefereeError(f"{names}: {why}; {MENDS[args.game]}. Nothing was written")
    parts = (*found.parts, *([] if found.board is None else [found.board]))
    unread = [] if args.board is None or found.board is not None else [Part(BOARD, BOARD, {}, ())]
    check_answers(args.answers, args.game, wishes.answers, (*parts, *unread), found.deck)
    for remark in beside_all(wishes.examples, photos, found.parts):
        complain(f"{args.examples}: {remark}")
    for photo in photos:
        if all(s["photo"] != photo.name for p in parts for s in p.sightings):
            complain(f"{photo.name}: nothing of the game was found on it; photograph it again, or leave it out")
    if sys.stdout.isatty():
        print("\n".join(summary(parts)))
    else:
        for part in parts:
            tell(part.told())
    for remark in found.remarks:
        complain(remark)
    kinds = nameless(found.parts)
    keep_deck(with_pictures(found, kinds, photos), args.out, over=args.force)
    for kind in kinds:
        complain(told(kind, args.out, called[kind.photo]))
    _complain_unfinished(args.game, found, args.out, called)
    return status


def _check_sizes(args: argparse.Namespace) -> None:
    """Raise RefereeError for a size that is rather a slip, naming what is usual."""
    card = ANY_CARD if args.game == "any" else CARD
    said = [("--card-mm", "a card", card, mm) for mm in args.card_mm or ()]
    if args.cactus_height is not None:
        said.append(("--cactus-height", "a cactus over its base", CACTUS, args.cactus_height))
    for option, what, usual, mm in said:
        if not usual.holds(mm):
            raise RefereeError(
                f"{option}: {mm:g} mm is no size of {what}, about {usual.mm:g} mm are usual; "
                f"give it in mm, from {usual.least_mm:g} to {usual.most_mm:g}"
            )


def summary(parts: Sequence[Part]) -> list[str]:
    """What was read, for a person at a terminal: how much of each sort, and how much on each photo."""
    if not parts:
        return []
    sorts = Counter(SORTS.get(p.group, p.group) for p in parts)
    photos = Counter(str(s["photo"]) for p in parts for s in p.sightings)
    called = short_names(photos)
    return [
        f"{', '.join(f'{n} {sort}' for sort, n in sorts.items())} read",
        *textwrap.wrap(", ".join(f"{called[name]}: {n}" for name, n in sorted(photos.items())), WIDTH),
    ]


def on_sheet(part: Part) -> set[str]:
    """The fields of a part that are asked about together with those of others that look alike."""
    return {s.field for s in part.signs if s.field in part.asks}


def looking_alike(parts: Sequence[Part], field: str) -> list[str]:
    """For each kind the cards that show it, but not clearly: what one answer for all settles."""
    kinds: dict[str, list[str]] = {}
    for part in parts:
        for sign in part.signs:
            if sign.field == field and field in part.asks and part.id not in kinds.setdefault(sign.kind, []):
                kinds[sign.kind].append(part.id)
    return [
        f"{kind} on {', '.join(ids[:NAMED_MAX])}{' and more' if len(ids) > NAMED_MAX else ''}"
        for kind, ids in sorted(kinds.items())
    ]


def _photos(paths: list[Path]) -> tuple[list[Photo], int]:
    photos, status = [], DONE
    known: dict[bytes, Path] = {}
    for path in paths:
        try:
            photo = Photo(str(path), load_photo(path))
        except RefereeError as error:
            complain(error)
            status = UNUSABLE
            continue
        before = known.setdefault(hashlib.blake2s(path.read_bytes()).digest(), path)
        if before is not path:  # what lies on it once would be counted twice
            complain(f"{path}: is the same photo as {before}, which is read once")
            continue
        photos.append(photo)
        if sum(p.rgb.shape[0] * p.rgb.shape[1] for p in photos) > PIXELS_TOGETHER_MAX:
            raise RefereeError(
                f"{path}: with this one the photos have more than {PIXELS_TOGETHER_MAX // 1_000_000} megapixels "
                "together; scale them down, 4000 pixels across are enough, or give fewer"
            )
    return photos, status


def _complain_unfinished(game: str, found: Enrolled, folder: Path, called: Mapping[str, str]) -> None:
    asked = [f"{p.id} ({', '.join(own)})" for p in found.parts if (own := [a for a in p.asks if a not in on_sheet(p)])]
    waiting = sum(bool(p.asks) for p in found.parts)
    if waiting:
        complain(f"{waiting} of {len(found.parts)} wait for an answer: write them down as --answers FILE")
        for part in found.parts:
            for field in [a for a in part.asks if a in MEASURES]:
                seen = ", ".join(called[str(s["photo"])] for s in part.sightings)
                complain(f"measure {part.id} ({seen}) with a ruler: {field} is {MEASURES[field]}")
    for part in found.parts:
        if WHOLE in part.asks:
            complain(
                f"{part.id} is far smaller than the other cacti: if it is only a part of one, photograph the cacti "
                f'again; if it is so small, {{"{part.id}": {{"{WHOLE}": true}}}} in --answers FILE confirms it'
            )
    if asked:
        more = f" and {len(asked) - NAMED_MAX} more, see `asks`" if len(asked) > NAMED_MAX else ""
        complain(f"asked about: {'; '.join(asked[:NAMED_MAX])}{more}")
    if game == "cactus" and sum(p.group == "cacti" for p in found.parts) > CACTI:
        complain(
            f"more than {CACTI} cacti: arms may have been cut off from one of them; "
            "photograph the cacti again, on plain paper of another colour"
        )
    taken = sum(bool(p.taken) for p in found.parts)
    if taken:
        complain(
            f"{taken} look the same on their heads: they are taken as they were laid, which changes nothing in play; "
            f'{{"{ALL}": {{"{TOP}": "{AS_LAID}"}}}} in --answers FILE confirms it for all'
        )
    for field, what in ((CENTER, "stones"), (EDGE, "symbols")):
        alike = looking_alike(found.parts, field)
        if alike:
            complain(
                f"{what} that look like one kind, but not clearly: {'; '.join(alike)}; where all are what they were "
                f'read as, {{"{ALL}": {{"{field}": "{AS_READ}"}}}} in --answers FILE confirms them'
            )
    if found.board is not None and found.board.asks:
        complain(f"of the board confirm {', '.join(found.board.asks)}: write them down as --answers FILE")
    if game == "any":
        return
    try:
        parse_deck(found.deck, str(folder / "deck.json"))
    except DeckError as error:
        complain(f"the deck cannot be played yet: {error}")
