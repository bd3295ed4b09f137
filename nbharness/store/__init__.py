"""Durable conversations: one SQLite file for every process of the user."""

from nbharness.store.records import ApprovalRecord, ConversationRecord, TurnRecord, guess_title
from nbharness.store.store import Store

__all__ = ["ApprovalRecord", "ConversationRecord", "Store", "TurnRecord", "guess_title"]
