"""Secrets are masked in what is kept: the database and the notebook. The page and the terminal show what was said.

What is masked: the values of secret-looking environment variables, also in base64, URL, hex and JSON form, and keys
whose format is publicly known. Nothing here promises to find a secret it was not told about.
"""

from nbharness.redact.home import tilde
from nbharness.redact.redactor import Redactor

__all__ = ["Redactor", "tilde"]
