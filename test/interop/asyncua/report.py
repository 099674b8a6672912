"""Plays steps one after the other and prints a JSON line for each."""

import asyncio
import json
import sys
import time
import traceback

STEP_LIMIT_S = 20


class Cannot(Exception):
    """The library has no way to do what the step asks for."""


class Failed(Exception):
    """A check doesn't hold."""


def check(condition, message):
    """Raises Failed unless the condition holds."""
    if not condition:
        raise Failed(message)


def describe(error):
    """One line for an exception, with the StatusCode's name where it has one."""
    if isinstance(error, Failed | Cannot):
        return str(error)
    if isinstance(error, asyncio.TimeoutError):
        return "no answer in time"
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".rstrip(": ")


async def play(step_id, step):
    """Runs one step; whatever goes wrong ends up in its line."""
    started = time.monotonic()
    try:
        result, detail = "ok", await asyncio.wait_for(step(), STEP_LIMIT_S) or ""
    except Cannot as error:
        result, detail = "cannot", describe(error)
    except Exception as error:
        result, detail = "fails", describe(error)
        print(f"{step_id}:", file=sys.stderr)
        traceback.print_exc()
    print(f"{step_id}: {time.monotonic() - started:.2f} s", file=sys.stderr)
    print(json.dumps({"step": step_id, "result": result, "detail": detail}), flush=True)
