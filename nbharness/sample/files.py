"""The texts of the sample project, and where its fault lies."""

from __future__ import annotations

_README = """\
# shop

The till of a small shop: a cart that adds up prices, and refunds.

    python -m unittest     runs the tests
    python run_tests.py    the same, with colours and a progress bar

Money is rounded to whole cents, half a cent up: 0.125 becomes 0.13.
"""

_CART = '''\
"""A cart that adds up what a customer pays."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True)
class Line:
    """Some pieces of one product."""

    product: str
    price: Decimal
    pieces: int = 1

    @property
    def net(self) -> Decimal:
        """The price of all pieces, not rounded."""
        return self.price * self.pieces


@dataclass
class Cart:
    """What a customer is going to buy."""

    lines: list[Line] = field(default_factory=list)

    def add(self, product: str, price: str, pieces: int = 1) -> None:
        """Put something into the cart; the price is that of one piece."""
        self.lines.append(Line(product, Decimal(price), pieces))

    def total(self) -> Decimal:
        """Return what the customer pays, in whole cents."""
        amount = sum((line.net for line in self.lines), Decimal(0))
        return round(amount, 2)

    def is_empty(self) -> bool:
        """Tell whether there is nothing to pay for."""
        return not self.lines
'''

_REFUND = '''\
"""Money back for a part of what was bought."""

from decimal import Decimal


def refund(paid: str, returned: int, bought: int) -> Decimal:
    """Return what the customer gets back, in whole cents."""
    amount = Decimal(paid) * returned / bought
    return round(amount, 2)
'''

_TEST_CART = """\
import unittest
from decimal import Decimal

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_empty_cart_costs_nothing(self):
        self.assertEqual(Cart().total(), Decimal(0))
        self.assertTrue(Cart().is_empty())

    def test_lines_are_added_up(self):
        cart = Cart()
        cart.add("tea", "2.50")
        cart.add("cup", "4.00", pieces=3)
        self.assertEqual(cart.total(), Decimal("14.50"))

    def test_less_than_half_a_cent_is_rounded_down(self):
        cart = Cart()
        cart.add("screw", "0.124")
        self.assertEqual(cart.total(), Decimal("0.12"))

    def test_half_a_cent_is_rounded_up(self):
        cart = Cart()
        cart.add("screw", "0.125")
        self.assertEqual(cart.total(), Decimal("0.13"))
"""

_TEST_REFUND = """\
import unittest
from decimal import Decimal

from shop.refund import refund


class RefundTest(unittest.TestCase):
    def test_everything_back(self):
        self.assertEqual(refund("12.00", returned=3, bought=3), Decimal("12.00"))

    def test_one_of_three_back(self):
        self.assertEqual(refund("10.00", returned=1, bought=3), Decimal("3.33"))
"""

_RUN_TESTS = '''\
"""Runs the tests with colours and a progress bar: python run_tests.py"""

import os
import sys
import time
import unittest

GREEN, RED, DIM, OFF = "\\033[32m", "\\033[31m", "\\033[2m", "\\033[0m"
WIDTH = 24

# The tests are over in a blink; with a pause after each one the bar can be watched.
PAUSE_S = float(os.environ.get("SHOP_PAUSE_S", "0"))


class Progress(unittest.TestResult):
    """Draws one bar, over itself, as the tests run."""

    def __init__(self, total):
        super().__init__()
        self.total = total

    def stopTest(self, test):
        super().stopTest(test)
        time.sleep(PAUSE_S)
        colour = GREEN if self.wasSuccessful() else RED
        done = WIDTH * self.testsRun // self.total
        bar = f"{colour}{'━' * done}{DIM}{'━' * (WIDTH - done)}{OFF}"
        print(f"\\r{bar} {self.testsRun}/{self.total}", end="", flush=True)


def main():
    suite = unittest.defaultTestLoader.discover("tests", top_level_dir=".")
    result = Progress(suite.countTestCases())
    suite.run(result)
    print()
    failed = result.failures + result.errors
    for test, trace in failed:
        print(f"{RED}FAILED{OFF} {test.id()}\\n  {trace.strip().splitlines()[-1]}")
    passed = result.testsRun - len(failed)
    print(f"{GREEN}{passed} passed{OFF}" + (f", {RED}{len(failed)} failed{OFF}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
'''

FILES = {
    "README.md": _README,
    "run_tests.py": _RUN_TESTS,
    "shop/__init__.py": '"""The till of a small shop."""\n',
    "shop/cart.py": _CART,
    "shop/refund.py": _REFUND,
    "tests/__init__.py": "",
    "tests/test_cart.py": _TEST_CART,
    "tests/test_refund.py": _TEST_REFUND,
}
"""Every file of the project by its path."""

_ROUNDING = (
    ("from decimal import Decimal\n", "from decimal import ROUND_HALF_UP, Decimal\n"),
    ("return round(amount, 2)", 'return amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)'),
)

FAULTS = {"shop/cart.py": _ROUNDING, "shop/refund.py": _ROUNDING}
"""What is wrong in a file, and what is right instead; each stands in the file once."""
