"""The kept conversations: ``nbharness sessions`` and ``nbharness show``."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.command import Home, one_line, read_json
from support.terminal import Terminal

DO, OTHER = "scenario: many tools 1", "scenario: malformed event"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with two conversations, of two turns and of one. Only looked at."""
    home = Home(tmp_path_factory.mktemp("home"))
    assert home.run(DO).returncode == 0
    assert home.run(OTHER).returncode == 0
    home.run("and now?", "--conversation", str(listed(home)[-1]["id"]), "--approval", "auto")
    return home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with one conversation."""
    made = Home(tmp_path)
    assert made.run(OTHER).returncode == 0
    return made


def listed(home: Home, *options: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(home.nbharness("sessions", "--json", *options).stdout)
    return found


def test_the_list_is_newest_first(kept: Home) -> None:
    records = listed(kept)
    assert [(record["title"], record["turnCount"]) for record in records] == [(DO, 2), (OTHER, 1)]
    assert {record["agent"] for record in records} == {"demo"}
    rows = kept.nbharness("sessions").stdout.splitlines()
    assert len(rows) == 2
    assert all(str(record["id"]).startswith(row.split()[0]) for record, row in zip(records, rows, strict=True))
    assert rows[0].split("  ")[1] == DO


def test_on_a_terminal_the_columns_have_names(kept: Home) -> None:
    with Terminal(kept.command("sessions"), env=kept.env) as screen:
        assert screen.wait() == 0
    assert screen.text.split()[:5] == ["id", "title", "agent", "turns", "updated"]


def test_show_prints_every_turn(kept: Home) -> None:
    id_ = str(listed(kept)[0]["id"])
    done = kept.nbharness("show", id_[:5])
    assert (done.returncode, done.stderr) == (0, "")
    assert DO in done.stdout
    assert "and now?" in done.stdout
    assert done.stdout.index(DO) < done.stdout.index("and now?")


def test_show_prints_what_run_printed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    said = home.run(DO, "--json").stdout
    shown = home.nbharness("show", str(listed(home)[0]["id"]), "--json").stdout
    assert read_json(shown) == read_json(said)


def test_nothing_by_that_name_is_one_line(kept: Home) -> None:
    done = kept.nbharness("show", "no-such")
    assert done.returncode == 2
    assert "'no-such'" in one_line(done)


def test_renaming(home: Home) -> None:
    (record,) = listed(home)
    assert home.nbharness("sessions", "rename", str(record["id"])[:6], "A better \x1b[31mname").returncode == 0
    assert listed(home)[0]["title"] == "A better \x1b[31mname"
    assert "\x1b" not in home.nbharness("sessions").stdout, "a title must not colour the terminal"
    done = home.nbharness("sessions", "rename", str(record["id"]), "")
    assert done.returncode == 2
    assert "must not be empty" in one_line(done)


def test_archiving_and_back(home: Home) -> None:
    id_ = str(listed(home)[0]["id"])
    assert home.nbharness("sessions", "archive", id_).returncode == 0
    assert listed(home) == []
    assert [record["archived"] for record in listed(home, "--all")] == [True]
    assert "(archived)" in home.nbharness("sessions", "--all").stdout
    assert home.nbharness("sessions", "archive", id_, "--undo").returncode == 0
    assert len(listed(home)) == 1


def test_deleting_wants_a_word(home: Home) -> None:
    id_ = str(listed(home)[0]["id"])
    done = home.nbharness("sessions", "delete", id_)
    assert done.returncode == 2
    assert "--yes" in one_line(done)
    with Terminal(home.command("sessions", "delete", id_), env=home.env) as screen:
        screen.expect("Type delete: ")
        screen.press("no\n")
        assert screen.wait() == 3
    assert len(listed(home)) == 1
    assert home.nbharness("sessions", "delete", id_, "--yes").returncode == 0
    assert listed(home, "--all") == []


def test_a_store_that_is_not_ours_is_one_line_and_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("create table theirs (a)")
    before = file.read_bytes()
    env = {"NBHARNESS_DATABASE": str(file)}
    for command in (["sessions"], ["show", "x"], ["run", "hello", "--agent", "demo"]):
        done = home.nbharness(*command, env=env)
        assert (done.returncode, done.stdout) == (1, "")
        assert str(file) in one_line(done)
    assert file.read_bytes() == before
