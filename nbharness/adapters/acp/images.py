"""Images that go with a message."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbharness.adapters.acp.values import mapping
from nbharness.errors import ConfigError, NotSupported

__all__ = ["image_blocks"]

_MAX_IMAGES = 10
_MAX_BYTES = 5 * 1024 * 1024
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_VALID = "Valid: a list of up to 10 paths of PNG, JPEG, GIF or WebP files of up to 5 MB"


def image_blocks(agent: str, images: object, workspace: Path, can: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return images as content blocks of a prompt. Reads files.

    Args:
        agent: The agent, for the error.
        images: Value of the option ``images``: paths, relative ones in the workspace; ``None`` for none.
        workspace: Directory that the agent works in.
        can: What the agent says it can do.

    Raises:
        NotSupported: The agent takes none.
        ConfigError: It is no such list, or a file cannot be used.
    """
    if not images:
        return []
    if mapping(can.get("promptCapabilities")).get("image") is not True:
        raise NotSupported(agent, "images", "it says that it takes none; name the file in the message instead")
    if not isinstance(images, list | tuple) or len(images) > _MAX_IMAGES:
        raise ConfigError(f"images is {str(images)[:200]!r}. {_VALID}")
    return [_block(path, workspace) for path in images]


def _block(path: object, workspace: Path) -> dict[str, Any]:
    if not isinstance(path, str | Path):
        raise ConfigError(f"images holds {path!r}. {_VALID}")
    try:
        with (workspace / path).open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the image {str(path)!r} cannot be read: {error}") from error
    media_type = _media_type(data)
    if len(data) > _MAX_BYTES or not media_type:
        raise ConfigError(f"the file {str(path)!r} is no image that can be sent. {_VALID}")
    return {"type": "image", "mimeType": media_type, "data": base64.b64encode(data).decode()}


def _media_type(data: bytes) -> str:
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), "")
