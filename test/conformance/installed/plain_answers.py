"""A processor with a plain function. Its answers to messages with `hold` wait for a message with `release`, and those to
messages with `spin` compute until then."""
import os
import sys
import threading
import tracemalloc

from llm_gateway_sdk import Limits, ProcessorDefinition, RunningProcessor, run_processor


def create(settings, context):
    released = threading.Event()

    def answer(fields, call):
        if fields.get("release"):
            released.set()
        if fields.get("hold"):
            context.logger.info("held")
            released.wait()
        if fields.get("spin"):
            context.logger.info("spins")
            while not released.is_set():
                pass
        return {"id": fields.get("id"), "bytes": tracemalloc.get_traced_memory()[0]}

    return RunningProcessor(answer)


tracemalloc.start()
stated = os.environ["CONCURRENCY"]
limits = Limits(concurrency=int(stated)) if stated else Limits()
sys.exit(run_processor(ProcessorDefinition("plain", "1.2.3", create, limits=limits)))
