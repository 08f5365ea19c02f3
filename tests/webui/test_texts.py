"""The words of the page: complete in every language, and one sentence per rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from werkzeug.test import TestResponse

from scoring.games.cactus_judge import RULE_IDS as CACTUS_IDS
from scoring.games.conex_judge import RULE_IDS as CONEX_IDS
from scoring.games.rox import RULE_IDS
from scoring.rules import GAMES
from scoring.verdicts import Call, Verdict
from tests.webui import catalogue
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame, doubtful
from webui import texts
from webui.cactus import laws as laws_cactus
from webui.conex import texts as texts_conex
from webui.rox.snapshot import VerdictView

LANGUAGES = [language for language in texts.LANGUAGES if language != "en"]
AGAIN = "run: python -m tests.webui.catalogue"


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_is_complete_and_compiled(language: str) -> None:
    """Every text of the sources is translated, nothing else is kept, and the compiled file is of today."""
    stored = catalogue.load(language)
    wanted = {m.id for m in catalogue.extract() if m.id}
    have = {m.id for m in stored if m.id and (all(m.string) if isinstance(m.string, tuple) else m.string)}
    assert have == wanted, AGAIN
    assert not [m.id for m in stored if m.fuzzy and m.id]
    file = catalogue.CATALOGUES / language / "LC_MESSAGES" / "messages.mo"
    assert file.read_bytes() == catalogue.compiled(stored), AGAIN


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_numbers_and_names(language: str) -> None:
    """A translation has the same placeholders as the English text, so no sentence loses its facts or fails."""
    for message in catalogue.load(language):
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = message.string if isinstance(message.string, tuple) else (message.string,)
            for string in strings:
                assert _places(string) == _places(ids[-1]), string


def _places(text: str) -> set[str]:
    return set(re.findall(r"%\((\w+)\)[sd]|%%", text))


def test_every_rule_has_a_sentence() -> None:
    """Each rule id of each game has its sentence, and no sentence speaks of a rule that is none."""
    rules = {rule for game in GAMES for rule in game.rule_ids}
    told = {*texts.SENTENCES, *texts_conex.SENTENCES, *laws_cactus.SENTENCES}
    assert {rule for rule, _ in told} == rules
    assert set(RULE_IDS) <= rules
    # A rule of CONEX has all three calls, a title and a text.
    for rule in CONEX_IDS:
        assert {call for r, call in texts_conex.SENTENCES if r == rule} == set(Call)
    assert set(texts_conex.RULES) == set(CONEX_IDS)
    for rule in CACTUS_IDS:
        assert {call for r, call in laws_cactus.SENTENCES if r == rule} == set(Call)
    assert set(laws_cactus.RULES) == set(CACTUS_IDS)


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_verdict_of_a_match_becomes_a_sentence(table: Table, three_rows: FakeFrame, language: str) -> None:
    """All verdicts of clean, wrong and doubtful tables are said in full, in every language."""
    table.begin()
    card = three_rows.table.placements[12]
    other = next(f.id for f in table.deck.faces.values() if f.center != table.deck.faces[card.face or ""].center)
    doubt = replace(three_rows, table=doubtful(three_rows.table, card.key, other))
    t, names = texts.translations(language), {"south": "Anna", "west": "Ben", "north": "Clara"}
    said = set()
    for frame in (three_rows, doubt):
        match = table.to_verdict(frame)
        assert match.ruling is not None
        for v in match.ruling.verdicts:
            sentence = texts.explain(_verdict(v), names, t)
            said.add((v.rule, v.call))
            assert not sentence.startswith("rox."), sentence
            assert "%" not in sentence
            assert "south" not in sentence
        table.do("undo")
        table.do("undo")
        table.do("undo")
        table.do("undo")
    assert {("rox.link", "legal"), ("rox.link", "violation"), ("rox.link", "uncertain")} <= said


def _verdict(v: VerdictView) -> Verdict:
    return Verdict(v.rule, Call(v.call), v.about, v.seat, v.facts)


def test_tie_is_told_with_the_order_of_names() -> None:
    """The tie sentence names the players in the order in which they pick."""
    verdict = Verdict("rox.tie", Call.LEGAL, facts={"length": 5, "order": {"north": 2, "west": 1}})
    names = {"west": "Ben", "north": "Clara"}
    assert texts.explain(verdict, names, texts.translations("en")).endswith("Ben, Clara.")
    assert texts.explain(verdict, names, texts.translations("de")).endswith("Ben, Clara.")


def test_link_that_people_stated_is_told_as_theirs() -> None:
    """Where the players decided, the sentence does not pretend that the camera did."""
    for call, words in ((Call.LEGAL, "it fits"), (Call.VIOLATION, "it does not fit")):
        sentence = texts.explain(Verdict("rox.link", call), {}, texts.translations("en"))
        assert sentence == f"The players looked: {words}."


def test_refusals_that_people_meet_are_translated(table: Table, three_rows: FakeFrame) -> None:
    """The rules' own refusals reach a German reader in German; the patterns fit what the rules really say."""
    met = []

    def meet(ask: Callable[[], TestResponse]) -> None:
        answers = []
        for language in texts.LANGUAGES:
            table.client.get(f"/language/{language}")
            answer = ask()
            assert answer.status_code == 422
            answers.append(answer.json["message"])
        assert len(set(answers)) == len(answers), answers
        met.append(answers[0])

    form = {"player-south": "Ann", "player-west": "Ann", "min_row": "3", "rounds": "5", "token": table.token()}
    meet(lambda: table.client.post("/matches/new", data=form, headers={"Accept": "application/json"}))
    table.begin()
    meet(lambda: table.do("undo"))
    stock = sorted(c.value for c in table.deck.scoring_cards.values())
    rare = next(v for v in stock if stock.count(v) == 1)
    meet(lambda: table.do("start", value=[str(rare), str(rare)]))
    table.to_verdict(three_rows)
    ruling = table.match.ruling
    assert ruling is not None
    card = ruling.rows[0].cards[0]
    meet(lambda: table.do("declare_row", seat="south", card=[f"key:{card.key}"] * 2, round="1"))
    meet(
        lambda: table.do("declare_row", seat="south", card=[f"face:{f}" for f in list(table.deck.faces)[:7]], round="1")
    )
    meet(lambda: table.do("declare_awards", round="1", **{"points-south": "77"}))
    unread = [c.key for c in ruling.rows[0].cards][1]
    table.do("declare_face", key=unread, face="", round="1")
    meet(lambda: table.do("confirm"))
    table.do("undo")
    table.do("confirm")
    meet(lambda: table.do("declare_face", key=unread, face="", round="1"))
    assert len(met) == len(set(met)) == 8
