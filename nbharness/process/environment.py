"""What a process is told about where it runs."""

import re
from collections.abc import Mapping

# Who and where the user is, how to reach the network, and where programs keep their own files.
_ALLOWED = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TMPDIR | TEMP | TMP
    | LANG | LANGUAGE | LC_\w+ | TZ | TERM | COLORTERM | NO_COLOR
    | HTTPS?_PROXY | ALL_PROXY | NO_PROXY | https?_proxy | all_proxy | no_proxy
    | SSL_CERT_FILE | SSL_CERT_DIR | CURL_CA_BUNDLE | REQUESTS_CA_BUNDLE | NODE_EXTRA_CA_CERTS
    | XDG_(CONFIG|DATA|STATE|CACHE)_HOME
    | VIRTUAL_ENV | CONDA_PREFIX | CONDA_DEFAULT_ENV | LD_LIBRARY_PATH
    """,
    re.VERBOSE,
)

OURS = {"NBHARNESS": "1"}
"""Tells hooks of ours, which a user may have installed for the agent, that this one is watched already."""


def agent_environment(base: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Build the environment of an agent from an allow list.

    A kernel's environment holds its server's token, the runtime's directories and whatever keys the
    user exported for something else. None of it is an agent's business unless it is named.

    Args:
        base: Usually ``os.environ``. Locale, paths, proxies and the like are taken over.
        extra: Added as it is and wins over ``base``: the agent's own key, its settings, what the user lets through.

    Returns:
        A new dictionary.
    """
    taken = {name: value for name, value in base.items() if _ALLOWED.fullmatch(name)}
    return taken | dict(extra) | OURS
