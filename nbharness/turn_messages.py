"""What the user says during one turn: messages for the agent while it works, and those that wait for its answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from nbharness.errors import NbHarnessError, NotSupported
from nbharness.events import Event, MessageQueued, MessageUser, MessageWithdrawn, Notice
from nbharness.inputs import Message

__all__ = ["TurnMessages"]


class TurnMessages:
    """The further messages of one turn. Belongs to the turn's loop.

    Args:
        agent: Name of the agent, for errors.
        can_steer: It takes messages while it works.
        put: Takes the events that tell of them.
    """

    def __init__(self, agent: str, *, can_steer: bool, put: Callable[[Event], None]) -> None:
        self._agent = agent
        self._can_steer = can_steer
        self._put = put
        self._now: asyncio.Queue[Message] = asyncio.Queue()
        self._after: deque[MessageQueued] = deque()
        self._count = 0

    @property
    def some_wait_for_the_answer(self) -> bool:
        """True when the turn goes on after the present answer."""
        return bool(self._after)

    def take(self, message: Message) -> None:
        """Take a message of the user.

        Raises:
            NotSupported: It is for now, and the agent takes none while it works.
        """
        if message.when == "after":
            self._count += 1
            queued = MessageQueued(id=f"m{self._count}", text=message.text)
            self._after.append(queued)
            self._put(queued)
        elif self._can_steer:
            self._now.put_nowait(message)
        else:
            hint = "send it with when='after', and it is the next thing that the agent hears"
            raise NotSupported(self._agent, "messages while it works", hint)

    def withdraw(self, id_: str) -> None:
        """Take a message back that waits for the answer.

        Raises:
            NbHarnessError: It does not wait; the message says what does.
        """
        kept = deque(queued for queued in self._after if queued.id != id_)
        if len(kept) == len(self._after):
            waits = ", ".join(queued.id for queued in self._after) or "nothing"
            raise NbHarnessError(f"no message {id_!r} is queued in this turn. Queued: {waits}")
        self._after = kept
        self._put(MessageWithdrawn(id=id_))

    async def next_now(self) -> Message:
        """Wait for a message that is for the agent now; it counts as taken."""
        return self._taken(await self._now.get())

    def waiting_now(self) -> Message | None:
        """Return a message that is for the agent now, or ``None``; it counts as taken."""
        return None if self._now.empty() else self._taken(self._now.get_nowait())

    def next_after(self) -> str | None:
        """Return the message that the agent is to answer next, or ``None``; it counts as taken."""
        if not self._after:
            return None
        queued = self._after.popleft()
        self._put(MessageUser(text=queued.text, id=queued.id))
        return queued.text

    def tell_what_is_left(self) -> None:
        """The turn ends: say of each message that was for now that the agent never took it."""
        while not self._now.empty():
            notice = f"The turn ended before the agent took this message: {self._now.get_nowait().text}"
            self._put(Notice(message=notice, level="warning"))

    def _taken(self, message: Message) -> Message:
        self._put(MessageUser(text=message.text))
        return message
