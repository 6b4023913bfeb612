"""The worker process: it answers, tells how far it is, can be stopped, may die, and never outlives its server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lookalike.web.state import Bench
from lookalike.web.worker import TaskError, Worker

Recipes = Callable[..., dict[str, Any]]


def with_worker(story: Callable[[Worker], Awaitable[None]]) -> None:
    async def whole() -> None:
        worker = Worker()
        try:
            await story(worker)
        finally:
            await worker.end()

    asyncio.run(asyncio.wait_for(whole(), 240))


@pytest.fixture
def recipe(invented: Callable[[int], dict[str, Any]]) -> Recipes:
    """Decisions about so many invented people."""

    def make(n: int = 400, **parts: Any) -> dict[str, Any]:
        return Bench({"source": invented(n), **parts}).recipe

    return make


def test_it_answers_and_tells_how_far_it_is(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        heard: list[float] = []
        found = await worker.call("tables.describe", recipe(), on_progress=heard.append)
        assert found["rows"] == 400
        assert heard
        assert all(0 <= share <= 1 for share in heard)

    with_worker(story)


def test_a_wrong_request_is_told_in_words_and_the_worker_goes_on(tmp_path: Path, recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        with pytest.raises(TaskError, match="no such file") as caught:
            await worker.call("tables.describe", recipe(source={"path": str(tmp_path / "none.csv")}))
        assert caught.value.kind == "request"
        broken = recipe(roles={"age": "quasi"}, promises=[{"model": "k-anonymity", "k": 900}])
        with pytest.raises(TaskError, match="cannot be met") as caught:
            await worker.call("blur.whole", broken, long=True)
        assert caught.value.kind == "guarantee"
        assert (await worker.call("tables.describe", recipe()))["rows"] == 400

    with_worker(story)


def test_an_error_nobody_expected_tells_its_place_and_no_value(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        with pytest.raises(TaskError) as caught:
            await worker.call("risks.before", recipe(roles={"age": "secret-value"}))
        assert caught.value.kind == "bug"
        assert "ValueError" in str(caught.value)
        assert "secret-value" not in str(caught.value)

    with_worker(story)


def test_cancelled_work_ends_soon_and_the_next_request_is_answered(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        columns = ["area", "age", "marital_status", "occupation", "qualifications", "num_children"]
        large = recipe(
            60_000,
            roles=dict.fromkeys(columns, "quasi"),
            method="local",
        )
        await worker.call("tables.describe", large)
        work = asyncio.create_task(worker.call("blur.whole", large, long=True))
        await asyncio.sleep(0.3)
        started = time.monotonic()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert time.monotonic() - started < 5
        assert (await worker.call("tables.describe", recipe()))["rows"] == 400

    with_worker(story)


def test_a_quick_question_does_not_wait_for_long_work(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        columns = ["area", "age", "marital_status", "occupation", "qualifications"]
        large = recipe(
            60_000,
            roles=dict.fromkeys(columns, "quasi"),
            method="local",
        )
        await worker.call("tables.describe", large)
        work = asyncio.create_task(worker.call("blur.whole", large, long=True))
        await asyncio.sleep(0.1)
        await worker.call("tables.rows", large, start=0, end=5)
        assert not work.done()
        work.cancel()
        await asyncio.wait([work])

    with_worker(story)


def test_stopping_one_piece_of_work_does_not_lose_another(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        columns = ["area", "age", "marital_status", "occupation"]
        large = recipe(
            20_000,
            roles={**dict.fromkeys(columns, "quasi"), "dob": "identifier", "postcode": "identifier"},
        )
        fast = {**large, "method": "mondrian"}
        await worker.call("tables.describe", large)
        trying = asyncio.create_task(worker.call("blur.sample", {**large, "method": "local"}))
        await asyncio.sleep(0.05)
        making = asyncio.create_task(worker.call("blur.whole", fast, long=True))
        trying.cancel()
        assert (await making)["k"] >= 10
        stubborn = asyncio.create_task(worker.call("blur.whole", {**large, "method": "local"}, long=True))
        waiting = asyncio.create_task(worker.call("blur.whole", {**fast, "seed": 1}, long=True))
        await asyncio.sleep(0.3)
        stubborn.cancel()
        assert (await waiting)["k"] >= 10

    with_worker(story)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_worker_that_dies_is_told_and_another_takes_over(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        await worker.call("tables.describe", recipe())
        assert worker.pid is not None
        waiting = asyncio.create_task(worker.call("blur.whole", recipe(roles={"age": "quasi"}), long=True))
        await asyncio.sleep(0)
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(TaskError) as caught:
            await waiting
        assert caught.value.kind == "lost"
        assert (await worker.call("tables.describe", recipe()))["rows"] == 400

    with_worker(story)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_worker_ends_when_its_server_is_killed(recipe: Recipes) -> None:
    script = (
        "import asyncio; from lookalike.web.worker import Worker; from lookalike.web.state import Bench\n"
        "async def main():\n"
        "    worker = Worker()\n"
        f"    await worker.call('tables.describe', Bench({recipe()!r}).recipe)\n"
        "    print(worker.pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        server.kill()
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the worker is still there")


def test_the_worker_never_loads_what_draws() -> None:
    script = (
        "import sys, pkgutil, importlib, lookalike.web.working, lookalike.web.tasks as tasks\n"
        "for one in pkgutil.iter_modules(tasks.__path__):\n"
        "    importlib.import_module(f'lookalike.web.tasks.{one.name}')\n"
        "print('nicegui' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_after_the_session_no_process_is_started_any_more(recipe: Recipes) -> None:
    async def story(worker: Worker) -> None:
        await worker.call("tables.describe", recipe())
        await worker.close()
        with pytest.raises(TaskError) as caught:
            await worker.call("tables.describe", recipe())
        assert caught.value.kind == "cancelled"
        assert worker.pid is None

    with_worker(story)
