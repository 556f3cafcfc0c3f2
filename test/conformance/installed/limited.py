"""A processor with settings and limits for the tests of the installed SDK; limited.mjs is the same one."""
import asyncio
import os
import sys

from llm_gateway_sdk import (
    Limits,
    ProcessorDefinition,
    RunningProcessor,
    boolean_setting,
    number_setting,
    run_processor,
    text_setting,
)


def create(settings, context):
    context.logger.info("created", settings=[settings["rate"], settings["loud"], settings["label"]])
    released = asyncio.Event()

    async def answer(fields, call):
        if fields.get("release"):
            released.set()
        if fields.get("hold"):
            await released.wait()
        return {"id": fields.get("id")}

    return RunningProcessor(answer)


definition = ProcessorDefinition(
    name="limited",
    version="1.2.3",
    create=create,
    settings={"rate": number_setting(1, least=0, most=10), "loud": boolean_setting(False), "label": text_setting("")},
    variables={"RATE": "rate", "LOUD": "loud"},
    limits=Limits(concurrency=int(os.environ.get("CONCURRENCY", "1")), waiting=4),
)
sys.exit(run_processor(definition))
