"""Makes ``%coder`` lines reach the magic verbatim.

IPython takes a line that ends in ``?`` for a call for help, joins a line that ends in a backslash with the next, and
loses track of where lines begin after an unbalanced quote or bracket. A prompt may hold all of these, so its line is
rewritten into a plain call before IPython looks at it. Only lines that start a statement are touched: text inside a
string or a bracket, and the body of another cell magic, stay as they are.
"""

from __future__ import annotations

import io
import re
import tokenize

__all__ = ["rewrite_coder_lines"]

_CODER = re.compile(r"^(?P<head>\s*(?:[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*=\s*)?)%coder(?P<rest>[ \t].*|)$", re.DOTALL)
_OPEN_ENDED = ("EOF in multi-line", "unexpected EOF", "unterminated triple-quoted")


def rewrite_coder_lines(lines: list[str]) -> list[str]:
    """Return the cell's lines with each ``%coder`` statement as a call of the magic.

    For ``input_transformers_cleanup``; keeps the number of lines.

    Args:
        lines: Lines of one cell, with their line ends.
    """
    if not any("%coder" in line for line in lines) or _is_cell_magic(lines):
        return lines
    done: list[str] = []
    for line in lines:
        text = line.rstrip("\r\n")
        match = _CODER.match(text)
        if match and not _inside_something(done):
            prompt = match["rest"].strip(" \t")
            text = f"{match['head']}get_ipython().run_line_magic('coder', {prompt!r})"
        done.append(text + line[len(line.rstrip("\r\n")) :])
    return done


def _is_cell_magic(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return first.lstrip().startswith("%%")


def _inside_something(lines: list[str]) -> bool:
    """Tell whether the code so far ends inside a string, a bracket or a continued line."""
    if not lines:
        return False
    if lines[-1].rstrip("\r\n").endswith("\\"):
        return True
    code = "".join(_neutral(line) for line in lines)
    try:
        for _token in tokenize.generate_tokens(io.StringIO(code).readline):
            pass
    except tokenize.TokenError as error:
        return str(error.args[0]).startswith(_OPEN_ENDED)
    except (SyntaxError, IndentationError):
        return False
    return False


def _neutral(line: str) -> str:
    """Hide other magics and shell lines, whose text is not Python."""
    stripped = line.lstrip()
    return "pass\n" if stripped.startswith(("%", "!", "?")) and not stripped.startswith("%%") else line
