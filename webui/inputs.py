"""Fields of a form, checked: whatever a browser sends is what was asked for, or one clear sentence."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug.datastructures import MultiDict

Form = MultiDict[str, str]

TEXT_MAX = 64


class BadInputError(ValueError):
    """The form cannot be understood; the message says which field."""


def text(form: Form, field: str, most: int = TEXT_MAX, *, empty: bool = False) -> str:
    """A field's text without spaces around it; raises BadInputError where it is missing, too long or unprintable."""
    value = " ".join(form.get(field, "").split())
    if (not value and not empty) or len(value) > most or not value.isprintable():
        raise BadInputError(f"The field {field} must hold 1 to {most} letters.")
    return value


def number(form: Form, field: str) -> int:
    """A field's whole number of at most four digits; raises BadInputError."""
    return whole(form.get(field, ""), field)


def whole(value: str, field: str) -> int:
    """A whole number of at most four digits; raises BadInputError."""
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise BadInputError(f"The field {field} must be a whole number.")
    return int(value)


def choice(form: Form, field: str, allowed: Sequence[str]) -> str:
    """One of the allowed values; raises BadInputError."""
    value = form.get(field, "")
    if value not in allowed:
        raise BadInputError(f"The field {field} must be one of {', '.join(allowed)}.")
    return value
