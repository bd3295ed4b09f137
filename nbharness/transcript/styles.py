"""Inline styles of the saved form. JupyterLab's sanitiser keeps these: no ``var()``, colours as ``#rrggbbaa``."""

from __future__ import annotations

__all__ = [
    "ADDED",
    "BODY",
    "CELL",
    "CODE",
    "DETAILS",
    "DIFF",
    "FRAME",
    "HUNK",
    "INNER_LOG",
    "LIST",
    "LOG",
    "MUTED",
    "PARAGRAPH",
    "PRE",
    "QUOTE",
    "REMOVED",
    "ROW",
    "RULE",
    "SMALL",
    "TABLE",
    "USER",
]

FRAME = "border:1px solid #80808040;border-radius:6px;padding:8px 12px;font-size:14px;line-height:20px"
SMALL = "font-size:12px;opacity:0.7"
MUTED = "opacity:0.7"
DETAILS = "margin:8px 0"
LIST = "margin:4px 0;padding-left:20px"
LOG = "margin:4px 0;padding-left:0;list-style:none"
INNER_LOG = "margin:4px 0;padding-left:20px;list-style:none"
ROW = "margin:4px 0"
BODY = "margin:0 0 4px 20px"
PARAGRAPH = "margin:8px 0"
USER = "margin:8px 0;font-weight:600;white-space:pre-wrap"
# JupyterLab draws a chip behind code and gives rules a ground; both would be boxes in the box.
CODE = "font-size:13px;padding:0;background-color:transparent"
RULE = "height:0;border:0;border-top:1px solid #80808040;background-color:transparent;margin:8px 0"
PRE = (
    "font-size:12px;line-height:16px;padding:8px 12px;margin:4px 0;border-radius:4px;background-color:#8080801a;"
    "overflow-x:auto"
)
DIFF = (
    "font-size:12px;line-height:20px;margin:4px 0;padding:0;border-top:1px solid #80808040;"
    "border-bottom:1px solid #80808040;overflow-x:auto"
)
HUNK = "display:block;opacity:0.7"
ADDED = "display:block;background-color:#388e3c2e"
REMOVED = "display:block;background-color:#d32f2f26"
QUOTE = "margin:8px 0;padding-left:12px;border-left:2px solid #80808040"
TABLE = "margin:8px 0;border-collapse:collapse"
CELL = "padding:2px 8px;border:1px solid #80808040;text-align:left"
