"""Images that go with a message to an agent that speaks ACP."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from support.acp import PNG, opened

from nbharness.adapters.acp.images import image_blocks
from nbharness.errors import ConfigError, NotSupported

CAN = {"promptCapabilities": {"image": True}}


def blocks(images: object, workspace: Path, can: dict[str, Any] = CAN) -> list[dict[str, Any]]:
    return image_blocks("copilot", images, workspace, can)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0jpeg", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_image_is_known_by_its_first_bytes(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "picture").write_bytes(data)
    wanted = {"type": "image", "mimeType": kind, "data": base64.b64encode(data).decode()}
    assert blocks(["picture"], tmp_path) == blocks((tmp_path / "picture",), Path("/")) == [wanted]


def test_no_images_need_no_agent_that_takes_them(tmp_path: Path) -> None:
    assert blocks(None, tmp_path, {}) == blocks([], tmp_path, {}) == []


@pytest.mark.parametrize("can", [{}, {"promptCapabilities": {"image": False}}, {"promptCapabilities": "image"}])
def test_agent_that_takes_none_says_so(tmp_path: Path, can: dict[str, Any]) -> None:
    with pytest.raises(NotSupported, match="takes none"):
        blocks(["a.png"], tmp_path, can)


@pytest.mark.parametrize(
    ("images", "why"),
    [
        ("a.png", "Valid: a list"),
        (["a.png"] * 11, "Valid: a list"),
        ([7], "images holds 7"),
        (["none.png"], "cannot be read"),
        (["\0"], "cannot be read"),
        ([""], "cannot be read"),
        (["text.png"], "is no image"),
        (["large.png"], "is no image that can be sent"),
    ],
)
def test_what_is_no_image_is_refused(tmp_path: Path, images: object, why: str) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "large.png").write_bytes(PNG + bytes(5 * 1024 * 1024))
    with pytest.raises(ConfigError, match=why):
        blocks(images, tmp_path)


async def test_turn_with_an_image_that_cannot_be_sent_leaves_the_session_as_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say before")
        pid = talk.pid
        with pytest.raises(NotSupported):
            await talk.run("say x", options={"images": ["a.png"]})
        assert ((await talk.run("say after")).text, talk.pid) == ("after", pid)
