import { runMessageThread } from './run-message-thread.ts'

// Answers a message with its `n`. A message with `hold` occupies its thread until the program notifies the shared memory.
await runMessageThread((data) => {
  if (!(data instanceof SharedArrayBuffer)) throw new TypeError('no shared memory')
  const released = new Int32Array(data)
  return (fields) => {
    if (fields.has('hold')) Atomics.wait(released, 0, 0)
    return { n: fields.get('n') }
  }
})
