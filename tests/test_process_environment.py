from support.processes import environment_of, parent_of

from nbharness.process import agent_environment, spawn

KERNEL = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/ada",
    "LANG": "en_GB.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm",
    "TZ": "Europe/London",
    "TMPDIR": "/scratch",
    "https_proxy": "http://proxy:3128",
    "NO_PROXY": "localhost",
    "JPY_PARENT_PID": "1",
    "JPY_SESSION_NAME": "x.ipynb",
    "JUPYTER_TOKEN": "t",
    "JUPYTERHUB_API_TOKEN": "t",
    "JUPYTER_RUNTIME_DIR": "/run",
    "NBHARNESS_HOME": "/state",
    "AWS_SECRET_ACCESS_KEY": "k",
    "OPENAI_API_KEY": "k",
    "GITHUB_TOKEN": "t",
    "PYTHONPATH": "/elsewhere",
    "LC_": "no name",
    "MY_PATH": "no name",
}
PASSED_ON = {"PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "https_proxy", "NO_PROXY"}


def test_only_what_is_on_the_list_is_taken_over_and_extra_wins() -> None:
    built = agent_environment(KERNEL, {"ANTHROPIC_API_KEY": "own", "TERM": "dumb"})
    assert built == {name: KERNEL[name] for name in PASSED_ON} | {
        "ANTHROPIC_API_KEY": "own",
        "TERM": "dumb",
        "NBHARNESS": "1",
    }


async def test_agent_and_supervisor_run_with_exactly_that_environment() -> None:
    given = agent_environment(KERNEL, {"ANTHROPIC_API_KEY": "own"})
    async with await spawn(["cat"], cwd="/", env=given) as process:
        # An answer proves that it runs: the kernel fills in the environment during exec.
        await process.write(b".")
        await process.stdout.read()
        assert environment_of(process.pid) == environment_of(parent_of(process.pid)) == given
