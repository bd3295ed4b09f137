"""Whatever an agent writes, and wherever: the saved forms hold no tag, image or control character of its making."""

from __future__ import annotations

import itertools
import re
import string
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.transcripts import hostile_turn, state, whole_turn

from nbharness.transcript import transcript_bundle
from nbharness.transcript.markup import prose_html
from nbharness.transcript.neutral import neutral_markdown

CORPUS = [
    (Path(__file__).parent / "support" / "hostile.md").read_text(encoding="utf-8"),
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)><svg onload=alert(1)><iframe srcdoc='<script>alert(1)</script>'>",
    "\"><script>alert(1)</script>' onmouseover='alert(1)",
    "</pre></details></li></ul></div><script>alert(1)</script>",
    "[a](javascript:alert(1)) [b](data:text/html,x) [c](vscode://x) [d](command:x) [e](//evil.invalid) [f](file:///etc)",
    "[a](jAvAsCrIpT&colon;alert(1)) [b](java\nscript:alert(1)) <javascript:alert(1)> [c](\x01javascript:alert(1))",
    "![i](https://evil.invalid/i.png) ![r][ref] <img src='https://evil.invalid/j.png'>\n\n[ref]: https://evil.invalid/k.png",
    "[![i](https://evil.invalid/i.png)](https://evil.invalid) [<https://evil.invalid/x>](https://good.invalid)",
    "[good.invalid](https://evil.invalid\\@good.invalid/) [x](https://good.invalid@evil.invalid/)",
    "```html\n</code></pre><script>alert(1)</script>\n```\n\n````\n```\n<b>\n````",
    '~~~mermaid\ngraph TD; click A href "javascript:alert(1)"\n~~~\n\n$$\\href{javascript:alert(1)}{x}$$ \\(y\\) $z$',
    "<details open ontoggle=alert(1)><summary>Approve</summary></details>\n\n<!-- --><?php ?><![CDATA[x]]>",
    '<div data-commandlinker-command="x" id="nbh" class="jp-Cell" style="position:fixed"><button>Approve</button>',
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62; &#x3c;i&#x3e;",
    "\x1b[2J\x1b[31mred\x1b]52;c;YQ==\x07\x1b]8;;https://evil.invalid\x1b\\link\x1b]8;;\x1b\\ \x9b6n\x90\x9c\r\b\0\x7f",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200b\u200d\u2060\ufeff \U000e0041\U000e007f \u2028line\u2029 \u3164 \ue000",
    "| a | b |\n|---|---|\n| <script> | `|` \\| ![x](https://evil.invalid) |",
    "# <b>\n\n1. > - <i>\n\n    <script>\n\n***_`x`_***",
    "a" + " " * 5000 + "; rm -rf /\n" * 20 + "\n" * 500,
    "`" * 70 + " x " + "`" * 69,
    "\ud83d\ude00 \ud83d half, e\u0301, \u05d0\u05d1, \u4e2d\u6587, 🏳️‍🌈",
]
TAGS = {
    "a": {"href", "rel", "target"}, "blockquote": {"style"}, "br": set(), "code": {"style"},
    "details": {"open", "style"}, "div": {"class", "style"},
    "em": set(), "hr": {"style"}, "li": {"style"}, "ol": {"start", "style"}, "p": {"style"},
    "pre": {"style"}, "s": set(), "span": {"style"}, "strong": set(), "summary": set(), "table": {"style"},
    "tbody": set(), "td": {"style"}, "th": {"style"}, "thead": set(), "tr": set(), "ul": {"style"},
}  # fmt: skip
VOID = {"br", "hr"}
STYLE = re.compile(r"[a-z-]+:[a-z0-9#. -]+(?:;[a-z-]+:[a-z0-9#. -]+)*")
# What the sanitiser of JupyterLab lets through besides, and what hides nothing.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


class Auditor(HTMLParser):
    """Reads HTML as strictly as can be and refuses what is not ours."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.links: list[str] = []
        self.classes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= TAGS[tag]
        assert len(dict(attrs)) == len(attrs)
        values = dict(attrs)
        style = values.get("style")
        assert style is None or STYLE.fullmatch(style), style
        self.classes += [values["class"] or ""] if "class" in values else []
        if tag == "a":
            assert "a" not in self.open
            assert values["rel"] == "noopener noreferrer nofollow"
            self.links.append(values["href"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        # A block that closed something of ours would show here.
        assert self.open
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"declaration {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"instruction {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"declaration {data!r}")


def audited(html: str) -> Auditor:
    auditor = Auditor()
    auditor.feed(html)
    auditor.close()
    assert not auditor.open
    assert all(re.match(r"(?:https?://|mailto:)[^\s\\]+$", link) for link in auditor.links)
    assert not UNSEEN.search(html)
    return auditor


def audit_markdown(text: str) -> None:
    """Read Markdown as GitHub would, raw HTML included, and refuse what could do anything."""
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
    flat = [inner for token in tokens for inner in (token, *(token.children or []))]
    assert not [token for token in flat if token.type in {"html_inline", "image"}]
    for token in flat:
        if token.type == "html_block":
            assert OURS.fullmatch(token.content), token.content
        if token.type == "fence":
            assert token.info in {"", "text", "diff", "html"} or token.info.isidentifier()
            assert token.info not in {"mermaid", "math", "html"}
        if token.type == "link_open":
            assert re.match(r"(?:https?://|mailto:)", str(token.attrs["href"]))
    assert not UNSEEN.search(text)


OURS = re.compile(
    r'\s*(?:<div class="mathjax_ignore tex2jax_ignore">|</div>|</details>(?:\n\s*</details>)*'
    r"|<details(?: open)?>\n\s*<summary>(?:[^<>\n]|</?(?:code|strong)>)*</summary>)\s*"
)


@pytest.fixture(scope="module")
def bundle() -> dict[str, Any]:
    return transcript_bundle(hostile_turn(CORPUS), cap=64 * 1024 * 1024)


def test_html_holds_only_tags_and_attributes_of_ours(bundle: dict[str, Any]) -> None:
    auditor = audited(bundle["text/html"])
    assert auditor.classes == ["mathjax_ignore tex2jax_ignore"]
    assert any("evil.invalid" in link for link in auditor.links)


def test_markdown_holds_no_html_and_no_image_of_the_agents(bundle: dict[str, Any]) -> None:
    audit_markdown(bundle["text/markdown"])


def test_plain_text_controls_no_terminal(bundle: dict[str, Any]) -> None:
    assert not UNSEEN.search(bundle["text/plain"])
    assert "\x1b" not in bundle["text/plain"]


def test_nothing_is_lost_on_the_way(bundle: dict[str, Any]) -> None:
    for form in ("text/html", "text/markdown", "text/plain"):
        assert bundle[form].count("rm -rf /") >= len(("message", "command", "output"))
        assert "⟨U+202E⟩" in bundle[form]
        assert "🏳️‍🌈" in bundle[form]


@pytest.mark.parametrize("text", CORPUS)
def test_each_text_alone_in_each_form(text: str) -> None:
    audited(prose_html(text))
    audit_markdown(neutral_markdown(text))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[x](javascript:alert(1))", "<p>x</p>"),
        ("![alt](https://h.invalid/i)", '<p><a href="https://h.invalid/i">Image: alt</a> <span>(h.invalid)</span></p>'),
        ("[bank.com](https://h.invalid/)", '<p><a href="https://h.invalid/">bank.com</a> <span>(h.invalid)</span></p>'),
        ("<https://h.invalid/a>", '<p><a href="https://h.invalid/a">https://h.invalid/a</a></p>'),
        ("[me](mailto:a@b.invalid)", '<p><a href="mailto:a@b.invalid">me</a> <span>(a@b.invalid)</span></p>'),
        ("# Big\n\n- [x] done\n- [ ] open", "<p><strong>Big</strong></p>\n<ul><li>☑ done</li>\n<li>☐ open</li>\n</ul>"),
        ("```py\na<b\n```", "<pre>a&lt;b</pre>"),
        ("3. c\n4. ~~d~~ `g`", '<ol start="3"><li>c</li>\n<li><s>d</s> <code>g</code></li>\n</ol>'),
        ("**e** *f*", "<p><strong>e</strong> <em>f</em></p>"),
        ("> q\n\n---\n\na  \nb", "<blockquote><p>q</p>\n</blockquote>\n<hr>\n<p>a<br>\nb</p>"),
    ],
)  # fmt: skip
def test_markdown_of_the_agent_as_html(text: str, html: str) -> None:
    plain = re.sub(r' (?:style|rel|target)="[^"]*"', "", prose_html(text))
    assert plain == html


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("# Title\n\ntext *em* **strong** `code`", "# Title\n\ntext *em* **strong** `code`"),
        ("- a\n- b\n  1. c\n\n+ d", "- a\n- b\n  1. c\n\n* d"),
        ("5) x\n6) y", "5. x\n6. y"),
        ("```py\nx = `1`\n```", "```py\nx = `1`\n```"),
        ("````\n```\n````", "````\n```\n````"),
        ("~~~mermaid\ngraph\n~~~", "```\ngraph\n```"),
        ("<b>x</b> & &lt;", "&lt;b&gt;x&lt;/b&gt; &amp; &lt;"),
        ("![a](https://h.invalid/i)", "[Image: a](https://h.invalid/i) (h.invalid)"),
        ("[a](javascript:x)", "a"),
        ("costs $5 and \\(6\\) \\\\(7\\\\)", "costs \\$5 and (6) &#92;(7&#92;)"),
        ("| a |\n|---|\n| `x\\|y` |", "| a |\n| --- |\n| `x\\|y` |"),
        ("snake_case_x and _em_", "snake_case_x and *em*"),
        ("a\n1\\. b\n\\# c\n\\- d", "a\n1\\. b\n\\# c\n\\- d"),
        ("> q\n\n***", "> q\n\n___"),
    ],
)  # fmt: skip
def test_markdown_of_the_agent_written_anew(text: str, neutral: str) -> None:
    assert neutral_markdown(text) == neutral


FRAGMENTS = [
    *(
        "a",
        "word ",
        "\n",
        "\n\n",
        "* ",
        "- ",
        "1. ",
        "2) ",
        "> ",
        "# ",
        "`",
        "``",
        "```\n",
        "~~~py\n",
        "    ",
        "**",
        "_",
        "~~",
    ),
    *(
        "[t](http://e.invalid)",
        "![i](http://e.invalid/i)",
        "[j](javascript:x)",
        "<b>",
        "<script>",
        "<!--",
        "&lt;",
        "\\",
        "|",
    ),
    *(
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "---\n",
        "===\n",
        "$x$",
        "<http://e.invalid>",
        "!",
        "[",
        "]",
        "(",
        ")",
        "\t",
    ),
    *("[r]: http://e.invalid\n", "[r]", "<details>", "</div>", "<?", "#1", "é", "字", "-", "\x00", "\r", "\u202e"),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join))
@settings(max_examples=150, deadline=None)
def test_any_mixture_is_harmless_and_stays_what_it_is(text: str) -> None:
    html, neutral = prose_html(text), neutral_markdown(text)
    audit_markdown(neutral)
    before, after = audited(html), audited(prose_html(neutral))
    assert set(after.links) <= {link.replace("(", "%28").replace(")", "%29") for link in before.links}
    # Code stays code, so nothing in it can wake up.
    assert re.findall(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL) == re.findall(
        r"<pre[^>]*>(.*?)</pre>", prose_html(neutral), re.DOTALL
    )


@given(
    st.lists(
        st.text(st.sampled_from(string.printable + "<>&\"'`é字\u202e\x1b\x00"), max_size=60), min_size=1, max_size=2
    )
)
@settings(max_examples=15, deadline=None)
def test_any_text_anywhere_is_harmless(texts: list[str]) -> None:
    made = transcript_bundle(hostile_turn(texts), cap=8 * 1024 * 1024)
    audited(str(made["text/html"]))
    audit_markdown(str(made["text/markdown"]))
    assert not UNSEEN.search(str(made["text/plain"]))


def test_the_usual_turn_passes_too() -> None:
    made = transcript_bundle(state(*whole_turn()))
    audited(str(made["text/html"]))
    audit_markdown(str(made["text/markdown"]))


def test_diff_lines_cannot_leave_their_block() -> None:
    fences = ("`" * n for n in itertools.count(3))
    patch = "@@ -1 +1 @@\n" + "".join(f"+{next(fences)}\n" for _ in range(5)) + "+</pre><script>\n"
    made = transcript_bundle(hostile_turn([patch]))
    audited(str(made["text/html"]))
    audit_markdown(str(made["text/markdown"]))
