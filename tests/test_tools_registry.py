"""Tools by name, tools out of functions, and the check of arguments."""

import importlib.metadata
from pathlib import Path
from typing import Any, Literal

import pytest
from support.tools import Caller

from nbharness.errors import ConfigError, UnknownName
from nbharness.tools import Tool, ToolContext, ToolError, builtin_tools, from_callable, load_tools, tool_names


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


def test_which_tools_ask() -> None:
    asks = {name for name, tool in builtin_tools().items() if tool.asks}
    assert asks == {"bash", "write", "edit", "apply_patch", "python"}
    assert "fetch" not in builtin_tools()
    assert load_tools(["fetch"])["fetch"].asks
    assert set(tool_names()) >= {*builtin_tools(), "fetch"}


def test_schemas_stand_alone() -> None:
    for tool in [*builtin_tools().values(), *load_tools(["fetch"]).values()]:
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert "$ref" not in repr(tool.parameters)
        assert all("description" in part for part in tool.parameters["properties"].values())


@pytest.mark.parametrize("args", [{}, {"path": 3}, {"path": "a", "more": 1}, {"path": "a", "limit": 0}, {"path": None}])
async def test_what_is_wrong_with_arguments_is_one_sentence(call: Caller, args: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match=r"^read: .*Valid: path \(string, required\), offset \(integer\)"):
        await call("read", **args)


async def test_numbers_may_come_as_text(call: Caller) -> None:
    (call.workspace / "a").write_text("one\ntwo\n")
    assert (await call("read", path="a", offset="2")).text == "     2\ttwo"


async def test_todo_hands_on_the_checklist(call: Caller) -> None:
    done = await call("todo", todos=[{"content": "look", "status": "completed"}, {"content": "change"}])
    assert [(todo.content, todo.status) for todo in done.todos or ()] == [("look", "completed"), ("change", "pending")]
    with pytest.raises(ToolError, match="Invalid enum value 'later'"):
        await call("todo", todos=[{"content": "look", "status": "later"}])


def search_log(word: str, level: Literal["info", "error"] = "info", *, context: ToolContext) -> list[str]:
    """Search the log for a word.

    It is not fast.

    Args:
        word: What to look for,
            to the letter.
        level: How bad.

    Returns:
        Lines.
    """
    return [f"{context.workspace.name} {level} {word}"]


async def test_a_function_is_a_tool(call: Caller) -> None:
    tool = from_callable(search_log, asks=False, kind="search")
    assert (tool.name, tool.asks, tool.kind) == ("search_log", False, "search")
    assert tool.description == "Search the log for a word.\n\nIt is not fast."
    assert tool.parameters["required"] == ["word"]
    assert tool.parameters["properties"]["word"] == {
        "type": "string",
        "description": "What to look for, to the letter.",
    }
    assert set(tool.parameters["properties"]["level"]["enum"]) == {"info", "error"}
    assert (await call(tool, word="x")).text == f'["{call.workspace.name} info x"]'
    with pytest.raises(ToolError, match="search_log"):
        await call(tool, word="x", level="worse")


async def test_an_async_function_is_awaited(call: Caller) -> None:
    async def wait(count: int) -> str:
        return "x" * count

    assert (await call(from_callable(wait), count=3)).text == "xxx"


def several(*words: str) -> None: ...


def strange(word: Path | bytes | list[int] | int) -> None: ...


@pytest.mark.parametrize(("function", "name"), [(several, None), (strange, None), (search_log, "two words")])
def test_a_function_that_is_no_tool_is_refused(function: Any, name: str | None) -> None:
    with pytest.raises(ConfigError, match="tool"):
        from_callable(function, name=name)


def test_entry_points_bring_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    group, value = "nbharness.tools", "test_tools_registry_brought:TOOL"
    brought = [importlib.metadata.EntryPoint(name="mine", value="os.path:basename", group=group)]
    brought.append(importlib.metadata.EntryPoint(name="gone", value=value, group=group))
    brought.append(importlib.metadata.EntryPoint(name="none", value="os:sep", group=group))
    brought.append(importlib.metadata.EntryPoint(name="bash", value="os:getcwd", group=group))
    monkeypatch.setattr("nbharness.tools.registry.entry_points", lambda **_: brought)
    assert isinstance(load_tools(["mine"])["mine"], Tool)
    assert load_tools(["bash"])["bash"] is builtin_tools()["bash"]
    with pytest.raises(ConfigError, match="'gone' of an unknown package cannot be loaded"):
        load_tools(["gone"])
    with pytest.raises(ConfigError, match="Valid: a Tool or a function"):
        load_tools(["none"])
    with pytest.raises(UnknownName, match="unknown tool: 'no'"):
        load_tools(["no"])
