"""How the program is started once more, with something besides."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from vision.sources.addresses import completed
from vision.sources.masked import masked
from webui.decks.here import NAMED


def with_phones(argv: Sequence[str], game: str = "", deck: str = NAMED) -> str:
    """The command that lets phones in and goes on with what is played now; else it is the one that was given.

    Empty where that is not known. An address that holds a secret is only hinted at: the command stands on a page.

    Parameters
    ----------
    argv
        The command line by which this program was started.
    game
        Which game is played now; empty for the one of the command line.
    deck
        Key of the deck on the table, as of `webui.decks.here.DeckChoice`.
    """
    return f"referee {shlex.join(_shown(a) for a in _now(argv, game, deck))} --host 0.0.0.0" if argv else ""


def _now(argv: Sequence[str], game: str, deck: str) -> list[str]:
    """A command line with the game and the deck that lie on the table; each of its options has a value."""
    out, rest = [argv[0]], list(argv[1:])
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            out.append(game or word)
            continue
        option, equals, _ = word.partition("=")
        both = [word] if equals or not rest else [word, rest.pop(0)]
        # the name of an option may be shortened as long as it is no other one's
        if deck == NAMED or not (len(option) > len("--d") and "--deck".startswith(option)):
            out += both
    return out if deck.startswith("/") or not deck else [*out, "--deck", deck]


def _shown(argument: str) -> str:
    option, equals, value = argument.partition("=") if argument.startswith("-") else ("", "", argument)
    address = completed(value)  # one whose scheme was left out may hold a secret, too
    return argument if masked(address) == address else f"{option}{equals}{address.partition('://')[0]}://…"
