"""A processor with shared state for the tests of the installed SDK; shared-state.mjs is the same one."""
import sys

from llm_gateway_sdk import ProcessorDefinition, RunningProcessor, run_processor


def create(settings, context):
    environment = context.environment
    store = context.key_value("llm_shared", max_bytes=10_000, storage=environment.get("STORAGE", "file"))
    fading = context.key_value("llm_fading", max_bytes=10_000, storage="memory", ttl_ms=2_000)
    known = {}

    def changed(key, entry):
        if entry is None:
            known.pop(key, None)
        else:
            known[key] = entry.value.decode()

    watches = [store.watch(changed), fading.watch(changed)]

    async def answer(fields, call):
        bucket = fading if fields.get("fading") else store
        operation, key, value = fields.get("operation"), fields.get("key"), str(fields.get("value")).encode()
        if operation == "known":
            return {"known": dict(known)}
        if operation == "get":
            read = await bucket.get(key)
            found = {} if read.entry is None else {"value": read.entry.value.decode(), "revision": read.entry.revision}
            return {"kind": read.kind, "error": read.error, **found}
        if operation == "put":
            written = await bucket.put(key, value)
        elif operation == "update":
            written = await bucket.update(key, value, fields["revision"])
        else:
            written = await bucket.delete(key)
        return {"kind": written.kind, "error": written.error, "revision": written.revision}

    async def close():
        for watch in watches:
            await watch.close()

    return RunningProcessor(answer, close=close)


sys.exit(run_processor(ProcessorDefinition("state", "1.2.3", create)))
