"""Which views of a turn are there: each says hello when it appears and is heard every two seconds from then on."""

from __future__ import annotations

from nbharness.clock import Clock

__all__ = ["Views"]

HEARD_WITHIN_S = 5.0
"""A view that was silent for longer counts as gone."""

ARRIVAL_S = 10.0
"""How long a front end may take to show a first view."""


class Views:
    """The views of one turn; the audience of its approvals.

    :meth:`heard` is called on the runtime's loop, :meth:`shown_again` in the cell's thread; the rest in any.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shown_at = clock.monotonic()
        self._heard_at: float | None = None
        self._known: set[str] = set()

    def heard(self, view: str) -> None:
        """Note that a view said something."""
        self._heard_at = self._clock.monotonic()
        self._known.add(view)

    @property
    def count(self) -> int:
        """How many different views were ever heard."""
        return len(self._known)

    @property
    def silent_s(self) -> float:
        """Seconds since a view was heard, or since the turn was shown when none ever was."""
        heard_at = self._heard_at  # another thread may forget it meanwhile
        return self._clock.monotonic() - (self._shown_at if heard_at is None else heard_at)

    @property
    def ever_heard(self) -> bool:
        """True when a view was ever heard."""
        return self._heard_at is not None

    def shown_again(self) -> None:
        """The turn was put on view once more; give the new view time to arrive."""
        self._shown_at = self._clock.monotonic()
        self._heard_at = None

    async def present(self) -> bool:
        """Return True: a turn on view keeps its question, however long the page is away.

        Refusing after a silence would throw away the work of a turn whose page is being reloaded; the cell that waits
        for it gives way instead.
        """
        return True
