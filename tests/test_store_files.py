"""The database as files: private whatever the umask, told apart by the disk they lie on."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.stores import begin, exists, mode, opened

from nbharness.store import database
from nbharness.store.failures import Busy
from nbharness.store.files import is_on_network, put_aside
from nbharness.store.lock import FileLock

OPEN_AND_WRITE = """
import asyncio, os, sys
from nbharness.store import Store
os.umask(int(sys.argv[2], 8))
async def main():
    store = await Store.open(sys.argv[1])
    await store.create_conversation("demo", "/work")
    for directory, _, names in os.walk(os.path.dirname(os.path.dirname(sys.argv[1]))):
        for path in [directory, *(os.path.join(directory, name) for name in names)]:
            print(os.path.basename(path), oct(os.stat(path).st_mode & 0o777))
    await store.close()
asyncio.run(main())
"""

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/me/local\\040disk xfs rw 0 0
host /home/me/local\\040disk/ssh fuse.sshfs rw 0 0
//server/share /mnt/s cifs rw 0 0
/dev/sdc1 /mnt/s ext4 rw 0 0
"""


@pytest.mark.parametrize("umask", ["000", "022", "077", "777"])
def test_private_whatever_the_umask(tmp_path: Path, umask: str) -> None:
    path = tmp_path / "outer" / "inner" / "store.db"
    done = subprocess.run(
        [sys.executable, "-c", OPEN_AND_WRITE, str(path), umask], capture_output=True, text=True, check=True
    )
    assert dict(line.split() for line in done.stdout.splitlines()) == {
        "outer": "0o700",
        "inner": "0o700",
        "store.db": "0o600",
        "store.db-wal": "0o600",
        "store.db-shm": "0o600",
        "store.db.lock": "0o600",
    }


async def test_a_file_that_others_could_read_no_longer_is_and_its_directory_is_left(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    for each, permissions in ((path, 0o666), (tmp_path, 0o755)):
        os.chmod(each, permissions)  # noqa: PTH101 (the rule against blocking calls knows pathlib's)
    async with opened(path):
        assert (mode(path), mode(tmp_path)) == ("0o600", "0o755")


@pytest.mark.parametrize(
    ("path", "network"),
    [
        ("/var/x.db", False),
        ("/home/me/x.db", True),
        ("/home/me/local disk/x.db", False),
        ("/home/me/local disk/ssh/x.db", True),
        ("/mnt/s/x.db", False),
        ("/mnt/sx/x.db", False),
        ("\\\\server\\share\\x.db", True),
    ],
)
def test_network_file_systems_are_known_by_their_mount(tmp_path: Path, path: str, *, network: bool) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert is_on_network(Path(path), mounts) is network
    assert is_on_network(Path("/home/me/x.db"), tmp_path / "none") is False


async def test_on_a_network_file_system_there_is_no_write_ahead_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "is_on_network", lambda _path: True)
    async with opened(tmp_path / "store.db") as store:
        await begin(store)
        assert len(await store.events("t1")) == 1
        assert not exists(f"{store.location}-wal")


def test_aside_names_do_not_collide(tmp_path: Path) -> None:
    aside = []
    for content in ("one", "two"):
        (tmp_path / "x.db").write_text(content)
        (tmp_path / "x.db-wal").write_text(f"log of {content}")
        aside.append(put_aside(tmp_path / "x.db"))
    assert [path.read_text() for path in aside] == ["one", "two"]
    assert [path.with_name(f"{path.name}-wal").read_text() for path in aside] == ["log of one", "log of two"]
    assert len(list(tmp_path.iterdir())) == 4


async def test_one_holder_at_a_time(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    held, refused, order = asyncio.Event(), asyncio.Event(), []

    async def hold() -> None:
        async with first.held(0):
            held.set()
            await refused.wait()
            order.append("first leaves")

    async def wait() -> None:
        await held.wait()
        with pytest.raises(Busy, match="is locked"):
            async with second.held(0):
                pass
        refused.set()
        async with second.held(20):
            order.append("second enters")

    await asyncio.gather(hold(), wait())
    assert order == ["first leaves", "second enters"]


async def test_a_file_system_without_locks_is_used_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    async with FileLock(tmp_path / "lock").held(0):
        pass
