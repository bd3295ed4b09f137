import os
import threading
from pathlib import Path

import pytest
from support.processes import open_descriptors

from nbharness.process import close_inherited, descriptors


def open_one_of_two() -> None:
    with descriptors.opening() as opened:
        readable, writable = os.pipe()
        opened.keep(readable)
        opened.lend(writable)
        raise OSError("no more")


def test_an_opening_that_fails_closes_all_it_opened() -> None:
    before = open_descriptors()
    with pytest.raises(OSError, match="no more"):
        open_one_of_two()
    assert open_descriptors() == before


def test_what_is_lent_is_closed_and_what_is_kept_stays_until_close() -> None:
    before = open_descriptors()
    with descriptors.opening() as opened:
        readable, writable = os.pipe()
        opened.keep(readable)
        opened.lend(writable)
    assert os.read(readable, 1) == b""
    descriptors.close(readable)
    assert open_descriptors() == before


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_waits_until_what_is_opened_is_known_and_its_child_holds_none_of_it() -> None:
    answers, answer = os.pipe()

    def fork() -> None:
        pid = os.fork()
        if pid == 0:
            # Twice is harmless, and the numbers stay taken.
            close_inherited()
            os.write(answer, bytes(Path(f"/proc/self/fd/{kept}").readlink()))
            os._exit(0)
        os.waitpid(pid, 0)

    forker = threading.Thread(target=fork)
    with descriptors.opening() as opened:
        forker.start()
        kept, lent = os.pipe()
        forker.join(0.05)
        assert forker.is_alive()
        opened.keep(kept)
        opened.lend(lent)
    forker.join()
    assert os.read(answers, 100) == b"/dev/null"
    for fd in (answers, answer):
        os.close(fd)
    descriptors.close(kept)
