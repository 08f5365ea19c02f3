"""The words of Cactus: whatever the rules can say or refuse has its sentence in every language."""

from __future__ import annotations

import pytest

from scoring.games.cactus_check import stray_words
from scoring.games.cactus_count import Why
from scoring.games.cactus_look import Stray
from scoring.games.cactus_play import Ending
from scoring.moves import CactusDie
from scoring.play import OutOfStep
from scoring.verdicts import Call
from webui import texts
from webui.cactus import laws as laws_cactus
from webui.cactus import texts as texts_cactus
from webui.refusals import refusal


@pytest.mark.parametrize("stray", list(Stray))
def test_every_way_out_of_step_has_its_words(stray: Stray) -> None:
    """On the page, and where a command is refused for it; with and without the pieces concerned."""
    assert stray in laws_cactus.ASTRAY
    for faces in ((), ("sun-red",)):
        message = stray_words(OutOfStep(stray, faces))
        said = [refusal(message, texts.translations(language)) for language in texts.LANGUAGES]
        if stray is not Stray.ROLL or faces:
            assert said[0] == laws_cactus.ASTRAY[stray]
            assert len(set(said)) == len(texts.LANGUAGES), message


def test_every_name_of_the_rules_has_its_word() -> None:
    """Faces of the die, rewards and ends."""
    assert set(laws_cactus.DICE) == set(CactusDie)
    assert set(laws_cactus.WHYS) == set(Why)
    assert set(laws_cactus.ENDINGS) == set(Ending)


def test_special_pieces_of_a_learned_copy_are_numbered() -> None:
    """Nobody named them, so no made-up key is shown; another set's own name stays."""
    english, german = (texts.translations(language) for language in texts.LANGUAGES)
    assert texts_cactus.shape("special-yellow-2", english) == "special piece 2"
    assert texts_cactus.shape("special-yellow-2", german) == "Sonderteil 2"
    assert texts_cactus.shape("special-offer", english) == "special-offer"


@pytest.mark.parametrize("rule", list(laws_cactus.CANCELLED))
def test_a_reward_that_a_fall_took_away_is_told_once(rule: str) -> None:
    """What the piece would have earned, and that it earns nothing, in one sentence."""
    facts = {"cancelled": 1, "flowers": 0, "total": 3}
    names = {"total": 3, "color": "red", "shape": "sun", "cactus": "K1", "flowers": "0 flowers"}
    for language in texts.LANGUAGES:
        told = laws_cactus.sentence(rule, Call.LEGAL, facts, names, texts.translations(language))
        assert told.count("0") + told.lower().count("no flowers") + told.count("keine Blüte") == 1, told
        assert told.count(".") == 1
