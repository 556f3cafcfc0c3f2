"""A processor whose answers never end; STUCK names the form of its function."""
import asyncio
import os
import sys
import threading

from llm_gateway_sdk import ProcessorDefinition, RunningProcessor, run_processor


def plain(fields, call):
    threading.Event().wait()


async def thread(fields, call):
    await asyncio.to_thread(threading.Event().wait)


async def uncancelled(fields, call):
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass


answer = {"plain": plain, "thread": thread, "uncancelled": uncancelled}[os.environ["STUCK"]]
sys.exit(run_processor(ProcessorDefinition("stuck", "1.2.3", lambda settings, context: RunningProcessor(answer))))
