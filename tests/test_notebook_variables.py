"""What an agent is told about a variable: little, quickly, and nothing of it is run that need not be."""

from __future__ import annotations

from typing import Any

import pytest

from nbharness.notebook.variables import describe


class Table:
    """Looks like a data frame."""

    shape = (1000, 2)
    columns = ("city", "sales")

    def head(self, rows: int) -> str:
        return f"the first {rows} rows"


class Remote:
    """Has a `head` that is no view of its rows."""

    def head(self, url: str) -> None:
        pytest.fail(f"asked {url} for its head")


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no words for it")


def test_a_table_is_told_by_its_shape_columns_and_first_rows() -> None:
    told = describe("sales", Table())
    assert "`sales`" in told
    assert "shape: (1000, 2)" in told
    assert "columns: ('city', 'sales')" in told
    assert "the first 5 rows" in told


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1, 2, 3], "[1, 2, 3]"),
        (list(range(1_000_000)), "length: 1000000"),
        ({n: n for n in range(1_000_000)}, "length: 1000000"),
        ("x" * 100_000, "length: 100000"),
        (Remote(), "Remote"),
        (Broken(), "Broken"),
    ],
)
def test_anything_is_told_in_a_few_lines(value: Any, says: str) -> None:
    told = describe("it", value)
    assert says in told
    assert len(told) < 2200
