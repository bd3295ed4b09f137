"""The shell scripts that a shadow repository runs. Names and ids come in variables, results go to files in ``$OUT``."""

from typing import Final

__all__ = ["COMPARE", "CONTENTS", "FLAGS", "LOOK", "TAKE", "UNFLAG"]

LOOK: Final = """
g status --porcelain -z --no-renames --untracked-files=all --ignored=matching --ignore-submodules=all -- . \
  > "$OUT/status" || exit 12
"""
"""Exits with 12 when the index is of no use."""

TAKE: Final = """
trap wait EXIT
if [ -z "$ALL" ] && [ -s "$OUT/paths" ]; then
  g update-index -z --add --remove --replace --stdin < "$OUT/paths" || ALL=yes
fi
if [ -n "$ALL" ]; then g add -A --ignore-errors -- . || [ $? -eq 1 ] || exit 12; fi
g write-tree --missing-ok > "$OUT/tree" & tree=$!
if [ -n "$BASE" ]; then
  g diff-index --cached -z --raw --numstat --no-abbrev -p -M -l400 --relative --ignore-submodules=all --no-ext-diff \
    --no-textconv --no-color --src-prefix=a/ --dst-prefix=b/ "$BASE" > "$OUT/diff" || exit 14
  if [ -n "$ALL" ]; then g ls-files -z -s -- . > "$OUT/entries" || exit 13; fi
fi
wait $tree || exit 12
"""
"""Takes the files in ``$OUT/paths``, or with ``$ALL`` whatever changed, into the index; exits with 12 when the index is
of no use. The files are looked at once: git looks again only when one of them is gone or locked away by now."""

FLAGS: Final = """
g ls-files -z -v -- . > "$OUT/flags" || exit 12
"""

UNFLAG: Final = """
g update-index -z --no-assume-unchanged --stdin < "$OUT/unchanged" || exit 12
g update-index -z --no-skip-worktree --stdin < "$OUT/skipped" || exit 12
"""

COMPARE: Final = """
g diff-tree -r -z --raw --no-renames --no-abbrev --relative --ignore-submodules=all "$FROM" "$TO" > "$OUT/names" \
  || exit 14
"""

CONTENTS: Final = """
g cat-file --batch < "$OUT/ids" > "$OUT/blobs" || exit 15
"""
