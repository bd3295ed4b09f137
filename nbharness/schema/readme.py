"""The README's table of events."""

from __future__ import annotations

from typing import Any

from nbharness.events import EVENT_CLASSES

BEGIN = "<!-- events:begin -->"
END = "<!-- events:end -->"


def table(schema: dict[str, Any]) -> str:
    """Return the table in Markdown, a line for each event with its fields in order; ``?`` marks those that may lack.

    Args:
        schema: As :func:`~nbharness.schema.json_schema.json_schema` makes it.
    """
    lines = ["| Event | Data | Meaning |", "|---|---|---|"]
    for name, cls in EVENT_CLASSES.items():
        definition = schema["$defs"][cls.__name__]
        fields = [
            field if field in definition["required"] or "default" in kind else f"{field}?"
            for field, kind in definition["properties"].items()
        ]
        data = f"`{{ {', '.join(fields)} }}`" if fields else "none"
        meaning = " ".join(definition["description"].split()).replace("``", "`")
        lines.append(f"| `{name}` | {data} | {meaning} |")
    return "\n".join(lines) + "\n"
