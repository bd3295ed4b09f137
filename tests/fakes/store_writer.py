"""A process that writes turns into a store.

Arguments: the database, the turn's id, and how many rounds (0 for ever). A round is five deltas that are appended and
an approval that is committed; when it is durable its number is printed. The turn stays open. At the end the process
prints ``open`` and waits for its input to end.
"""

import asyncio
import os
import sys
from pathlib import Path

from nbharness.events import ApprovalRequired, Envelope, Event, MessageDelta, PlanProposed, ToolStart, TurnStarted
from nbharness.store import Store, TurnRecord


async def write(database: Path, turn_id: str, rounds: int) -> None:
    store = await Store.open(database)
    conversation = await store.create_conversation("demo", "/work", title=turn_id)
    await store.begin_turn(TurnRecord(id=turn_id, conversation_id=conversation.id, prompt="go", agent="demo"))
    opening: list[Event] = [
        TurnStarted(prompt="go"),
        ToolStart(id="c1", name="shell", args={}),
        PlanProposed(plan="do it", id="p1"),
    ]
    await store.commit(turn_id, [Envelope(seq, turn_id, 1.7e9, event) for seq, event in enumerate(opening)])
    seq, done = len(opening), 0
    while done < rounds or not rounds:
        deltas = [Envelope(seq + n, turn_id, 1.7e9 + seq, MessageDelta(delta=f"{seq + n} ")) for n in range(5)]
        for delta in deltas:
            await store.append(turn_id, [delta])
        asked = ApprovalRequired(id=str(done), tool_name="shell", args={}, message=None, auto_approvable=False)
        await store.commit(turn_id, [Envelope(seq + 5, turn_id, 1.7e9 + seq, asked)])
        print(done, flush=True)
        seq, done = seq + 6, done + 1
    await store.flush()
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    # The turn is left open, as by a process that dies.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
