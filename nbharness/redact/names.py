"""Which environment variables hold secrets, judged by name and value."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["MIN_LENGTH", "secrets_in"]

MIN_LENGTH = 8
"""Characters a value needs: masking something shorter would blank out ordinary text."""

_SECRET_NAME = re.compile(
    r"SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY"
    r"|(?:TOKEN|PASSCODE)(?![A-Z])"
    r"|(?<![A-Z])(?:KEY|AUTH|PASS|PAT|JWT|COOKIE|BEARER|CREDS?)(?![A-Z])"
    r"|_PWD(?![A-Z])"
)
# What these name is where a secret lies or how it is used, not the secret.
_ABOUT_SECRET = re.compile(
    r"_(?:FILE|PATH|DIR|SOCK|SOCKET|HELPER|NAME|USER|USERNAME|HOST|PORT|MODE|TYPE|METHOD|PROVIDER|ENABLED|SOURCE)$"
)
_FILE_PATH = re.compile(r"(?:~?/|[A-Za-z]:\\)\S*\.[A-Za-z]{2,6}")
_URL_PASSWORD = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")


def secrets_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets among environment variables: value -> name of the variable.

    A password inside the URL of any variable counts too.

    Args:
        environ: Variables by name.
    """
    found: dict[str, str] = {}
    for name, raw in environ.items():
        value = raw.strip()
        if _is_secret_name(name) and not _FILE_PATH.fullmatch(value):
            found.setdefault(value, name)
        for password in _URL_PASSWORD.findall(value):
            found.setdefault(password, name)
    return {value: name for value, name in found.items() if len(value) >= MIN_LENGTH}


def _is_secret_name(name: str) -> bool:
    upper = name.upper()
    return bool(_SECRET_NAME.search(upper)) and not _ABOUT_SECRET.search(upper)
