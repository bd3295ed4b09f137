"""Keys that are known by their shape, whoever they belong to."""

from __future__ import annotations

import re

__all__ = ["FORMAT_SCAN"]

_START = r"(?<![A-Za-z0-9])"
_CHAR = r"[A-Za-z0-9_\-]"
_HAS_DIGIT = r"(?=[^\s\d\"']{0,40}+\d)"
_HEADER_VALUE = r"(?:(?:Basic|Bearer|[Tt]oken) )?([A-Za-z0-9][A-Za-z0-9._~+/\-]{7,}+=*)"

# A private key is base64 in lines, real or escaped; an old one has "Name: value" lines first. One that is cut off is
# masked as far as it goes.
_GAP = r"(?:\s|\\{1,4}[nr])*+"
_PEM = (
    r"(?<=-----B)EGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"((?:{_GAP}(?:[A-Za-z0-9+/=]{{16,}}+|[A-Z][A-Za-z\-]{{3,20}}: [A-Z0-9,\-]{{4,80}}+))++"
    rf"(?:{_GAP}[A-Za-z0-9+/=]{{1,15}}+{_GAP}(?=-----END))?(?:{_GAP}-----END [A-Z0-9 ]{{0,60}}-----)?)"
)

# Each branch begins with a character that ordinary text seldom holds and looks back from there; a cheap look ahead
# comes before the costly look back. Every repetition is bounded or possessive, so the time is linear.
_BRANCHES = (
    # GitHub, Groq, npm, Hugging Face, Stripe
    (
        rf"_(?=[A-Za-z0-9]{{16}})(?:(?<={_START}(?:gh[pousr]|gsk|npm)_)|(?<={_START}hf_)|(?<={_START}github_pat_)"
        rf"|(?<={_START}[sr]k_(?:live|test)_))([A-Za-z0-9_]{{16,}}+)"
    ),
    # OpenAI, Anthropic and who follows them, Slack, GitLab, xAI, PyPI; then header lines
    (
        rf"-(?:(?<=[a-z]-)(?={_CHAR}{{12}})(?:(?<={_START}sk-)|(?<={_START}xai-)|(?<={_START}(?:xox[abeoprs]|xapp|pypi)-)"
        rf"|(?<={_START}glpat-)){_HAS_DIGIT}({_CHAR}{{12,}}+)|[Aa][Pp][Ii]-[Kk]ey\"?: ?\"?{_HEADER_VALUE})"
    ),
    rf"z(?<=uthoriz)ation\"?: ?\"?{_HEADER_VALUE}",
    rf"B(?:earer ({_HAS_DIGIT}[A-Za-z0-9._~+/\-]{{16,}}+=*)|{_PEM})",
    rf"b(?<={_START}b)earer ({_HAS_DIGIT}[A-Za-z0-9._~+/\-]{{16,}}+=*)",
    # AWS, Google, SendGrid
    rf"A(?<={_START}A)(?:(?:KIA|SIA)([A-Z0-9]{{16}})(?![A-Za-z0-9])|Iza({_CHAR}{{30,}}+))",
    rf"9(?<={_START}ya29)\.({_CHAR}{{16,}}+)",
    rf"G(?<={_START}SG)\.({_CHAR}{{16,}}+\.{_CHAR}{{16,}}+)",
    # JSON Web Tokens
    rf"J(?<={_START}eyJ)({_CHAR}{{8,}}+\.eyJ{_CHAR}{{8,}}+(?:\.{_CHAR}*+)?)",
    # What `env` and a .env file print; a private key there is left to its own branch
    (
        r"=(?<=[DNTY]=)(?:(?<=KEY=)|(?<=TOKEN=)|(?<=SECRET=)|(?<=PASSWORD=))"
        r"[\"']?(?!-----BEGIN)([^\s\"'`\\,;&|<>(){}\[\]$*]{8,}+)"
    ),
    # A password in a URL
    r":(?=//)//[^\s/:@\"'\\]{0,64}+:([^\s/:@\"'\\]{3,256}+)(?=@)",
)

FORMAT_SCAN = re.compile("|".join(_BRANCHES))
"""Finds every format in one pass. The one group that matched is what must not be seen; what stands before it (the
kind of key, the name of a variable) is public and stays readable."""
