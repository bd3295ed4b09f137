"""The scripted agent behind the demo adapter. It knows nothing of nbharness but how to run a command."""
