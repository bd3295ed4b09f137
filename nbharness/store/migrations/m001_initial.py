"""Conversations, their turns, the event log, and the approvals in it.

No foreign keys, on purpose: the log takes what it is given in whatever order it comes, and a row that arrives late
never holds up those behind it. Deleting a conversation removes what belongs to it.
"""

STATEMENTS = (
    """
    CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      agent TEXT NOT NULL,
      workspace TEXT NOT NULL,
      session_id TEXT NOT NULL DEFAULT '',
      archived INTEGER NOT NULL DEFAULT 0,
      created_at REAL NOT NULL,
      updated_at REAL NOT NULL
    )
    """,
    "CREATE INDEX conversations_newest ON conversations (updated_at)",
    """
    CREATE TABLE turns (
      id TEXT PRIMARY KEY,
      conversation_id TEXT NOT NULL,
      prompt TEXT NOT NULL,
      agent TEXT NOT NULL,
      model TEXT NOT NULL,
      approval_mode TEXT NOT NULL,
      workspace TEXT NOT NULL,
      notebook TEXT,
      cell_id TEXT,
      pid INTEGER NOT NULL,
      process TEXT NOT NULL,
      status TEXT NOT NULL,
      started_at REAL NOT NULL,
      ended_at REAL,
      result TEXT
    )
    """,
    "CREATE INDEX turns_of_conversation ON turns (conversation_id, started_at)",
    "CREATE INDEX turns_of_cell ON turns (notebook, cell_id, started_at)",
    "CREATE INDEX turns_running ON turns (status) WHERE status = 'running'",
    """
    CREATE TABLE events (
      turn_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at REAL NOT NULL,
      type TEXT NOT NULL,
      data TEXT NOT NULL,
      UNIQUE (turn_id, seq)
    )
    """,
    """
    CREATE TABLE approvals (
      turn_id TEXT NOT NULL,
      id TEXT NOT NULL,
      tool TEXT NOT NULL,
      args_hash TEXT NOT NULL,
      status TEXT NOT NULL,
      by TEXT NOT NULL,
      reason TEXT NOT NULL,
      asked_at REAL NOT NULL,
      decided_at REAL,
      PRIMARY KEY (turn_id, id)
    )
    """,
)
"""Run in order, in one transaction."""
