"""``fetch`` against a real server on loopback: what it reads, and where it never goes."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.builtin import DONE, environment
from support.builtin import call as said
from support.tools import Caller

import nbharness
from nbharness.events import ToolEnd
from nbharness.testing.fakellm import FakeLLM
from nbharness.tools import Tool, ToolError, builtin_tools, load_tools
from nbharness.tools.fetch import is_public, make_fetch
from nbharness.tools.html_text import text_of_html

PAGE = (
    "<html><head><title>no</title></head><body><h1>Ti&shy;tle</h1><p>One &amp; <b>two</b></p><script>if (a<b)</script>"
)
HTML = "text/html; charset=utf-8"
ALL = "0.0.0.0"  # noqa: S104 (nothing is bound to it; it leads to this machine)

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """A server whose pages a test chooses; it notes what it was asked for."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.pages: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.let_go = threading.Event()
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.port = server.server_port

    def page(self, path: str, body: bytes | str, kind: str = HTML, status: int = 200, **headers: str) -> str:
        content = body if isinstance(body, bytes) else body.encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (status, {"Content-Type": kind, **named}, content)
        return self.url + path

    def moved(self, path: str, to: str, status: int = 302) -> str:
        return self.page(path, "", status=status, Location=to)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            if self.path == "/slow":
                made.let_go.wait(30)
            status, headers, body = made.pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made = Site(server)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield made
        made.let_go.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


ANYWHERE = make_fetch(permits=lambda _address: True)


async def test_a_page_comes_as_its_words_under_its_address(site: Site, call: Caller) -> None:
    url = site.page("/a?b=c", PAGE)
    assert (await call(ANYWHERE, url=url)).text == f"[{url}]\nTi\u00adtle\nOne & two"
    ((path, headers),) = site.asked
    assert path == "/a?b=c"
    assert headers["host"] == f"127.0.0.1:{site.port}"
    assert not {"cookie", "authorization", "referer"} & set(headers)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_and_the_last_address_is_told(site: Site, call: Caller, status: int) -> None:
    site.page("/dir/end", "There.", "text/plain")
    url = site.moved("/start", "/dir/middle", status)
    site.moved("/dir/middle", "end", status)
    assert (await call(ANYWHERE, url=url)).text == f"[{site.url}/dir/end]\nThere."


async def test_a_circle_of_redirects_ends(site: Site, call: Caller) -> None:
    with pytest.raises(ToolError, match=r"more than 5 redirects, the last one to '.*/round'"):
        await call(ANYWHERE, url=site.moved("/round", "/round"))
    assert len(site.asked) == 6


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "127.1", ALL, "[::1]", "[::ffff:7f00:1]"])
async def test_this_machine_is_refused_however_it_is_written(site: Site, call: Caller, host: str) -> None:
    site.page("/", "secret")
    with pytest.raises(ToolError, match="an address of this machine or of a private network"):
        await call("fetch", url=f"http://{host}:{site.port}/")
    assert site.asked == []


async def test_a_redirect_leads_to_no_private_address(site: Site, call: Caller) -> None:
    site.page("/secret", "secret")
    # As a public page would: only the address by which it is reached may be talked to.
    fetch = make_fetch(permits=lambda address: address == "127.0.0.1")
    assert "secret" in (await call(fetch, url=f"{site.url}/secret")).text
    for private in ("http://127.0.0.2", "http://[::1]", "http://169.254.169.254", "http://10.0.0.1"):
        url = site.moved("/start", f"{private}:{site.port}/secret")
        with pytest.raises(ToolError, match="an address of this machine or of a private network"):
            await call(fetch, url=url)
    assert [path for path, _ in site.asked] == ["/secret", "/start", "/start", "/start", "/start"]


async def test_one_private_address_of_a_name_is_enough_to_refuse_it(site: Site, call: Caller) -> None:
    looked_at: list[str] = []

    def permits(address: str) -> bool:
        looked_at.append(address)
        return False

    with pytest.raises(ToolError, match="'localhost' is "):
        await call(make_fetch(permits), url=f"http://localhost:{site.port}/")
    assert looked_at[0] in {"127.0.0.1", "::1"}


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::8.8.8.8", True),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        (ALL, False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("::7f00:1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b:1::1", False),
        ("2002:0a00:0001::", False),
        ("fd00::1", False),
        ("fe80::1%eth0", False),
        ("ff02::1", False),
    ],
)
def test_what_is_public(address: str, *, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "is not valid"),
        ("example.org", "is not valid"),
        ("file:///etc/passwd", "is not valid"),
        ("ftp://example.org/", "is not valid"),
        ("http://", "is not valid"),
        ("http://[::1", "is not valid"),
        ("http://user:word@example.org/", "is not valid"),
        ("http://example.org:99999/", "is not valid"),
        ("http://example.org/a b", "is not valid"),
        ("http://example.org/\r\nX-Own: 1", "is not valid"),
        ("http://exämple.org/", "is not valid"),
        (f"http://{'a' * 70}.invalid/", "no host"),
        ("http://a..invalid/", "no host"),
        ("http://nowhere.invalid/", "no host"),
        (f"http://127.0.0.1/{'a' * 5000}", "Valid: url"),
    ],
)
async def test_what_is_no_address_is_said(call: Caller, url: str, says: str) -> None:
    with pytest.raises(ToolError, match=re.escape(says)):
        await call(ANYWHERE, url=url)


async def test_a_redirect_to_what_is_no_address_is_said(site: Site, call: Caller) -> None:
    with pytest.raises(ToolError, match=r"'file:///etc/passwd' is not valid"):
        await call(ANYWHERE, url=site.moved("/start", "file:///etc/passwd"))


async def test_a_page_beyond_two_mebibytes_is_refused_and_a_long_one_is_cut(site: Site, call: Caller) -> None:
    limit = 2 * 1024 * 1024
    with pytest.raises(ToolError, match=f"more than {limit} bytes"):
        await call(ANYWHERE, url=site.page("/", b"x" * (limit + 1), "text/plain"))
    text = (await call(ANYWHERE, url=site.page("/", b"x" * limit, "text/plain"))).text
    assert len(text) < 40_000
    assert re.search(r"\d+ bytes omitted", text)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("naïve".encode("latin-1"), "text/plain; charset=ISO-8859-1", "naïve"),
        ("naïve".encode("latin-1"), 'text/plain; charset="latin-1"; format=flowed', "naïve"),
        ("日本".encode("shift_jis"), "text/html;charset=Shift_JIS", "日本"),
        ("naïve".encode(), "text/plain", "naïve"),
        ("naïve".encode(), "", "naïve"),
        (b"na\xefve", "text/plain; charset=utf-8", "na\ufffdve"),
        (b"plain", "text/plain; charset=no-such", "plain"),
        # Codecs of Python that are none of a page's: they raise for any other error handler than their own.
        (b"plain\xff", "text/plain; charset=idna", "plain\ufffd"),
        (b"plain", "text/plain; charset=undefined", "plain"),
        (b"plain", "text/plain; charset=hex", "plain"),
        (b'{"a": "<b>"}', "application/json", '{"a": "<b>"}'),
        (b"<a>b</a>", "application/atom+xml", "<a>b</a>"),
        (b"<p>b</p>", "application/xhtml+xml", "<p>b</p>"),
    ],
)
async def test_bytes_become_text(site: Site, call: Caller, body: bytes, kind: str, text: str) -> None:
    expected = "b" if "xhtml" in kind else text
    assert (await call(ANYWHERE, url=site.page("/", body, kind))).text.partition("\n")[2] == expected


async def test_what_is_no_text_is_refused(site: Site, call: Caller) -> None:
    with pytest.raises(ToolError, match="the page is 'image/png', not text"):
        await call(ANYWHERE, url=site.page("/", b"\x89PNG", "image/png"))
    with pytest.raises(ToolError, match="in the encoding 'gzip', unasked"):
        await call(ANYWHERE, url=site.page("/", b"\x1f\x8b", Content_Encoding="gzip"))


async def test_refusals_of_the_server_are_said(site: Site, call: Caller) -> None:
    with pytest.raises(ToolError, match="answers with status 404"):
        await call(ANYWHERE, url=f"{site.url}/missing")
    with pytest.raises(ToolError, match="cannot be fetched"):
        await call(ANYWHERE, url=f"https://127.0.0.1:{site.port}/")


async def test_a_server_that_does_not_answer_is_left(site: Site, call: Caller) -> None:
    with pytest.raises(ToolError, match=r"'.*/slow' took longer than 0\.2 s"):
        await call(make_fetch(permits=lambda _address: True, timeout_s=0.2), url=f"{site.url}/slow")
    assert [path for path, _ in site.asked] == ["/slow"]


def test_it_is_off_and_asks_once_it_is_named() -> None:
    assert "fetch" not in builtin_tools()
    fetch = load_tools(["fetch"])["fetch"]
    assert isinstance(fetch, Tool)
    assert fetch.asks


def test_the_built_in_agent_gets_it_by_name_and_is_led_to_no_private_address(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = site.page("/secret", "secret")
    with FakeLLM({"x": [said("fetch", url=secret), DONE]}) as model:
        for name, value in environment(model.url, tmp_path / "home").items():
            monkeypatch.setenv(name, value)
        asked: list[str] = []

        def approve(tool: str, args: Mapping[str, Any]) -> bool:
            asked.append(f"{tool} {args['url']}")
            return True

        handle = nbharness.agent("builtin", workspace=tmp_path, tools=["fetch"], approve=approve, record=False).run(
            "SCRIPT:x"
        )
        assert handle.result(60).status == "completed"
    (end,) = [envelope.event for envelope in handle.feed.since() if isinstance(envelope.event, ToolEnd)]
    assert asked == [f"fetch {secret}"]
    assert end.is_error
    assert "an address of this machine" in str(end.output)
    assert site.asked == []


def test_the_readme_names_every_tool() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"It has the tools ([^;]*);", readme)
    assert set(re.findall(r"`(\w+)`", listed)) == set(builtin_tools())


READ = [
    ("<p>a  b\n c</p>d", "a b c\nd"),
    ("a<br>b<hr/>c", "a\nb\nc"),
    ("<ul><li>one<li>two</ul>", "one\ntwo"),
    ('<a class=x href="https://a.b/?c=1&amp;d">link</a>', "(https://a.b/?c=1&d) link"),
    ('<a href="javascript:alert(1)">link</a><a href=/x>y</a>', "linky"),
    ("<pre>def f():\n\n    return 1\n</pre>after", "def f():\n    return 1\nafter"),
    ("<script>if (a<b) '</div>' </script>x<STYLE>y</style >z", "xz"),
    ("<script>never closed <p>x", ""),
    ("<svg><svg>a</svg>b</svg>c<svg/>d", "cd"),
    ("<head><title>t</title><body>the end tag of a head may be missing", "the end tag of a head may be missing"),
    ("<!DOCTYPE html><!-- <p>no</p> -->a<!-- never closed", "a"),
    ("a < b << c <3", "a < b << c <3"),
    ("<p don't>it's</p>", "it's"),
    ("<p title='>'>x</p><p title=\">\">y", "x\ny"),
    ("&lt;b&gt; &#x41;&#66; &nosuch;", "<b> AB &nosuch;"),
]


@pytest.mark.parametrize(("page", "text"), READ)
def test_html_is_read_as_a_reader_would(page: str, text: str) -> None:
    assert text_of_html(page) == text


SCRAPS = st.lists(st.sampled_from([*"<>/!?-='\" &#a1\n", "script", "pre", "<![", "]]"])).map("".join)


@given(st.one_of(st.text(), SCRAPS))
@example("<![x[ y")
@example(f"&#{'9' * 5000};")
def test_no_page_makes_it_raise(page: str) -> None:
    for line in text_of_html(page).splitlines():
        assert line.strip()


@pytest.mark.parametrize(
    "unit",
    ["<", "<!--", "<a ", "</", "<a b='", '<a b="', "<!", "<?", "<script>", "<script></", "<p", "<svg>", "</svg>", "&#"],
)
def test_a_hostile_page_costs_no_more_than_its_length(unit: str) -> None:
    # With a scanner whose work grows with the square of the length this would take hours.
    text_of_html(unit * (1_000_000 // len(unit)))
