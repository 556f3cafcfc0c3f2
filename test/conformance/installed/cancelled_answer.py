"""A processor whose answers end with an error that is no Exception; ENDS names the form of its function."""
import asyncio
import concurrent.futures
import os
import sys

from llm_gateway_sdk import ProcessorDefinition, RunningProcessor, run_processor


class NoException(BaseException):
    pass


async def task(fields, call):
    shared = asyncio.ensure_future(asyncio.Event().wait())
    shared.cancel()
    await shared


def plain(fields, call):
    raise concurrent.futures.CancelledError


def base(fields, call):
    raise NoException


answer = {"task": task, "plain": plain, "base": base}[os.environ["ENDS"]]
sys.exit(run_processor(ProcessorDefinition("cancelled", "1.2.3", lambda settings, context: RunningProcessor(answer))))
