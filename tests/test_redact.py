from __future__ import annotations

import base64
import json
import string
import time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbharness.redact import Redactor, tilde

SECRET = 'p4ss"wörd\\/+ &%=x1'  # noqa: S105 (made up)
BODY = ["Mi" + "Ab0+/" * 12 + "Qz"] * 4
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *BODY, "c2hvcnQ=", "-----END RSA PRIVATE KEY-----"])
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

ENVIRON = {
    "ANTHROPIC_API_KEY": "zQ7-first-value-0001",
    "DB_PASSWORD": SECRET,
    "DATABASE_URL": "postgres://ann:Tr0ubador99@db/shop",
    "GITHUB_TOKEN": "short",
    "SSH_AUTH_SOCK": "/run/user/1000/agent.1",
    "GOOGLE_APPLICATION_CREDENTIALS": "/home/ann/keys/service.json",
    "TOKENIZERS_PARALLELISM": "disabled-please",
    "PATH": "/usr/local/bin:/usr/bin",
    "PWD": "/home/ann/projects",
}
REDACTOR = Redactor.from_environment(ENVIRON)

KNOWN_KEYS = {
    "anthropic": "sk-ant-api03-AbCdEfGh1jKlMnOpQrStUvWxYz-0123456789",
    "openai": "sk-proj-Ab1dEfGhIjKlMnOpQrStUvWxYz_0123456789",
    "github": "ghp_" + "aB3" * 12,
    "github fine-grained": "github_pat_11ABCDEFG0aB3dE5fG7_" + "xY9" * 10,
    "aws": "AKIA" + "Z7Q2" * 4,
    "google": "AIza" + "Sy_B-" * 7,
    "slack": "xoxb-123456789012-abcDEFghi",
    "hugging face": "hf_" + "Qw3rTy" * 6,
    "gitlab": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "stripe": "sk_live_" + "a1B2" * 6,
    "npm": "npm_" + "a1B2c3" * 6,
    "web token": JWT,
    "private key": PEM,
}


def test_values_of_secret_variables_are_masked_by_name() -> None:
    masked = REDACTOR.redact("key zQ7-first-value-0001, password Tr0ubador99.")
    assert masked == "key [redacted: ANTHROPIC_API_KEY], password [redacted: DATABASE_URL]."


def test_ordinary_variables_and_short_values_are_left_alone() -> None:
    text = " ".join(value for name, value in ENVIRON.items() if name not in {"ANTHROPIC_API_KEY", "DB_PASSWORD"})
    assert REDACTOR.redact(text) == text.replace("Tr0ubador99", "[redacted: DATABASE_URL]")


@pytest.mark.parametrize(
    "encode",
    [
        str,
        lambda value: json.dumps(value)[1:-1],
        lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
        lambda value: json.dumps(json.dumps({"a": value}, ensure_ascii=False), ensure_ascii=False),
        lambda value: quote(value, safe=""),
        quote,
        lambda value: value.encode().hex(),
        lambda value: base64.b64encode(value.encode()).decode(),
        lambda value: base64.b64encode(b"ann:" + value.encode()).decode(),
        lambda value: base64.b64encode(b"me:" + value.encode() + b"\n").decode(),
        lambda value: base64.urlsafe_b64encode(b"<?>~" + value.encode() + b"tail").decode(),
    ],
)
def test_encoded_forms_are_masked(encode: object) -> None:
    assert callable(encode)
    encoded = encode(SECRET)
    masked = REDACTOR.redact(f"before {encoded} after")
    assert "[redacted: DB_PASSWORD]" in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    # At most the characters that mix with their neighbours are left of it.
    assert len(masked) <= len(f"before {encoded} after") - len(SECRET) + len("[redacted: DB_PASSWORD]")


@pytest.mark.parametrize("key", KNOWN_KEYS.values(), ids=KNOWN_KEYS)
def test_known_formats_are_masked_without_being_told(key: str) -> None:
    for text in (key, f"key: {key}\nnext", f'{{"k":"{json.dumps(key)[1:-1]}"}}'):
        masked = Redactor().redact(text)
        assert "[redacted]" in masked
        assert key[-12:] not in masked.replace("PRIVATE KEY-----", "")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"),
        ("curl -H 'Authorization: Bearer abc.def-123456789012'", "curl -H 'Authorization: Bearer [redacted]'"),
        ('{"x-api-key": "0123456789abcdef"}', '{"x-api-key": "[redacted]"}'),
        ("OPENAI_API_KEY=whatever-it-is\nHOME=/home/ann", "OPENAI_API_KEY=[redacted]\nHOME=/home/ann"),
        ("git clone https://ann:hunter22@example.com/x", "git clone https://ann:[redacted]@example.com/x"),
    ],
)
def test_what_follows_a_tell_tale_is_masked(text: str, masked: str) -> None:
    assert Redactor().redact(text) == masked
    assert Redactor().redact(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "a task-oriented sk-folding-cube-animation-of-seven",
        "the bearer of this letter, Bearer authentication-and-authorisation",
        "snake_case_names_are_fine = get_something_very_long_indeed_from_here()",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        'API_KEY = os.environ["API_KEY"]; TOKEN=$TOKEN; KEY=${X}',
        "http://localhost:8888/lab and https://[::1]:80/",
        "eyJust kidding. AKIArA",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Redactor().redact(text) == text


def test_a_cut_private_key_is_masked_as_far_as_it_goes() -> None:
    masked = Redactor().redact(PEM[:200] + "\n\nThat was it.")
    assert masked == "-----BEGIN RSA PRIVATE KEY-----[redacted]\n\nThat was it."


def test_json_is_masked_in_keys_and_values_and_keeps_its_shape() -> None:
    key = KNOWN_KEYS["github"]
    value = {"env": [{key: 1, "n": None}], "t": (key, True, 2.5)}
    assert REDACTOR.redact_json(value) == {
        "env": [{"ghp_[redacted]": 1, "n": None}],
        "t": ["ghp_[redacted]", True, 2.5],
    }


def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    redactor = Redactor.from_environment({"SIGNING_KEY": "first-line-of-it-0123\nsecond-line-of-it-4567"})
    assert "second" not in redactor.redact("> second-line-of-it-4567")


def test_an_overlong_secret_is_masked_piece_by_piece() -> None:
    value = "".join(f"{n:x}" for n in range(400))
    masked = Redactor({value: "BIG"}).redact(f"<{value}>")
    assert masked == "<[redacted: BIG]>"


PIECES = st.sampled_from([*KNOWN_KEYS.values(), *ENVIRON.values(), "Bearer ", "Authorization: ", "KEY=", "-----BEGIN "])
NOISE = st.text(st.sampled_from(string.ascii_letters + string.digits + ' \n-_=:/@"\\+.é字'), max_size=12)
TEXTS = st.lists(st.one_of(PIECES, NOISE), max_size=12).map("".join)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_no_secret_survives_and_masks_are_stable(text: str) -> None:
    masked = REDACTOR.redact(text)
    assert not any(secret in masked for secret in REDACTOR.literals)
    assert "[redacted: [redacted" not in REDACTOR.redact(masked)


@given(
    st.recursive(st.one_of(TEXTS, st.integers(), st.none()), lambda inner: st.lists(inner, max_size=3), max_leaves=6)
)
@settings(max_examples=100, deadline=None)
def test_masking_json_as_text_keeps_it_json(value: object) -> None:
    masked = json.loads(REDACTOR.redact(json.dumps({"v": value}, ensure_ascii=False)))
    assert set(masked) == {"v"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ann/x.py and /home/ann", "~/x.py and ~"),
        ("cd '/home/ann' && ls", "cd '~' && ls"),
        ("/home/anna /mnt/home/ann /home/ann-old", "/home/anna /mnt/home/ann /home/ann-old"),
        ('{"cwd":"/home/ann/p"} file:///home/ann/p', '{"cwd":"~/p"} file://~/p'),
    ],
)
def test_the_home_directory_is_a_tilde(text: str, shown: str) -> None:
    assert tilde(text, "/home/ann/") == shown


def test_a_root_is_no_home_and_windows_paths_may_be_escaped() -> None:
    assert tilde("/etc/passwd", "/") == "/etc/passwd"
    assert tilde(r'"C:\\Users\\ann\\x" C:\Users\ann\x', r"C:\Users\ann") == r'"~\\x" ~\x'


HOSTILE = [
    *("-", "_", "a", "A ", "sk-", "eyJ", "eyJaaaaaaaaa.", "Bearer ", "://a:", "KEY=", "SG.aaaaaaaaaaaaaaaaa.", "\\n"),
    *("-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n" + "a" * 64 + "\\n"),
    "zQ7-first-value",
]


@pytest.mark.parametrize("seed", HOSTILE)
def test_time_is_linear_in_hostile_text(seed: str) -> None:
    def seconds(size: int) -> float:
        text = (seed * size)[:size]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            REDACTOR.redact(text)
            best = min(best, time.process_time() - start)
        return best

    # A quadratic pattern takes 64 times as long for 8 times the text.
    assert seconds(160_000) < 32 * seconds(20_000) + 0.02
