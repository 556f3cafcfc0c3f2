"""A processor that blocks its event loop; BLOCKED names how."""
import asyncio
import os
import sys
import threading
import time

from llm_gateway_sdk import ProcessorDefinition, RunningProcessor, run_processor


async def sleeping(fields, call):
    time.sleep(3600)


async def computing(fields, call):
    while True:
        pass


async def printing(fields, call):
    while True:
        print("x" * 1000)


async def waiting(settings, context):
    print("creating", flush=True)
    await asyncio.Event().wait()


def failing(settings, context):
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    raise RuntimeError


answers = {"sleeping": sleeping, "computing": computing, "printing": printing}
creates = {"waiting": waiting, "failing": failing}
blocked = os.environ["BLOCKED"]
create = creates.get(blocked, lambda settings, context: RunningProcessor(answers[blocked]))
sys.exit(run_processor(ProcessorDefinition("blocked", "1.2.3", create)))
