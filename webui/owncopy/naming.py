"""The names that a person gives to what was found alike: which are still wanted, and which a form states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webui.inputs import BadInputError, Form, text
from webui.owncopy.copying import SHAPE_WORDS
from webui.owncopy.own_copy import Kind, OwnCopy
from webui.owncopy.words import kind_word

NAME_MAX = 32
NO_NAME = "A name has at most 32 letters, none of them a comma, slash or plus."
SAME_NAME = "Two of them have the same name: give each one of its own."


def tap(one: OwnCopy) -> Mapping[str, Any] | None:
    """The next element to be named by a tap: its name, the names and pictures that are left; None where none is."""
    own = [k for k in one.kinds if k.sort == "elements"]
    left = [k for k in own if not k.name]
    names = [n for n in one.suggested.get("elements", ()) if n not in {k.name for k in own}]
    return {"name": names[0], "names": names, "kinds": left} if left and names else None


def is_nameless(one: OwnCopy) -> bool:
    """Whether colours or shapes wait for a name."""
    return any(not k.name for k in one.kinds if k.sort != "elements")


def kind_of(one: OwnCopy, key: str) -> str:
    """The key of one of its kinds; raises BadInputError."""
    if key not in {k.key for k in one.kinds}:
        raise BadInputError("There is no such kind.")
    return key


def names_stated(form: Form, one: OwnCopy) -> dict[str, str]:
    """The names that a form gives to kinds, by their keys; raises BadInputError."""
    named: dict[str, str] = {}
    for kind in one.kinds:
        sent = " ".join(form.get(f"name-{kind.number}", "").split())
        usual = (kind.hint, *(SHAPE_WORDS if kind.sort == "shapes" else ()))
        # a usual word is kept as such, so that every reader sees it in their language
        sent = next((word for word in usual if word and sent.casefold() == kind_word(word).casefold()), sent)
        if sent and sent != kind.name:
            named[kind.key] = checked(sent, one, kind.key)
    for sort in {k.sort for k in one.kinds}:
        words_now = [(named.get(k.key, k.name) or k.key).casefold() for k in one.kinds if k.sort == sort]
        if len(set(words_now)) < len(words_now):
            raise BadInputError(SAME_NAME)
    return named


def name_stated(form: Form, one: OwnCopy) -> tuple[str, str]:
    """The key of a kind, and the name that a form gives to it, which the kind that had it loses; raises BadInputError.

    Spelt otherwise, it would be another kind's all the same.
    """
    key = kind_of(one, form.get("kind", ""))
    name = checked(text(form, "name", NAME_MAX), one, key)
    if any(k.name.casefold() == name.casefold() and k.name != name for k in _beside(one, key)):
        raise BadInputError(SAME_NAME)
    return key, name


def _beside(one: OwnCopy, key: str) -> list[Kind]:
    """The other kinds of the same sort."""
    sort = next(k.sort for k in one.kinds if k.key == key)
    return [k for k in one.kinds if k.sort == sort and k.key != key]


def checked(name: str, one: OwnCopy, key: str) -> str:
    """A name that may be one of a kind's: it goes into the names of cards and pieces.

    No kind is called as another one is while nobody names it: their symbols would be counted as one.
    """
    if name.casefold() in {k.key.casefold() for k in _beside(one, key)}:
        raise BadInputError(SAME_NAME)
    return checked_name(name)


def checked_name(name: str) -> str:
    """A name as it can stand among others in a deck; raises BadInputError."""
    if len(name) > NAME_MAX or not name.isprintable() or set(name) & set(",/\\+"):
        raise BadInputError(NO_NAME)
    return name
