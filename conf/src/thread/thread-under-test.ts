import { SettingsError } from '../program/failure.ts'
import { runThread } from './run-thread.ts'

/** Runs a thread whose questions choose its behaviour. */
await runThread((data) => {
  if (data === 'refuse') throw new SettingsError({ directory: 'model:' })
  if (data === 'break') throw new Error('planted-secret')
  return async (question, work) => {
    switch (question) {
      case 'hang':
        for (;;);
      case 'work':
        while (!work.stopped());
        return 'stopped'
      case 'is stopped':
        return work.stopped()
      case 'pause':
        await new Promise((resolve) => setTimeout(resolve, 50))
        return question
      case 'bytes': {
        const bytes = new Uint8Array(8)
        work.transfer(bytes)
        return { bytes }
      }
      case 'exit':
        return process.exit(0)
      case 'crash':
        setImmediate(() => crash())
        return await new Promise(() => undefined)
      case 'fail':
        throw new RangeError('planted-secret')
      case 'fill with arrays': {
        const held: number[][] = []
        for (;;) held.push(Array.from({ length: 1_000 }, (_, n) => n))
      }
      case 'fill one array': {
        const held: number[] = []
        for (;;) held.push(held.length)
      }
      case 'fill a map': {
        const held = new Map<number, string>()
        for (;;) held.set(held.size, String(held.size))
      }
      case 'parse a long text': {
        const held: unknown[] = JSON.parse(`[${'{},'.repeat(4_000_000)}{}]`)
        while (held.length > 0);
        return held
      }
      default:
        return question instanceof Int32Array ? await awaitOrder(question) : question
    }
  }
})

/** Counts the calls in the first shared number. Ends the thread once the second one is 1, answers once it is 2. */
async function awaitOrder(numbers: Int32Array): Promise<string> {
  Atomics.add(numbers, 0, 1)
  await Atomics.waitAsync(numbers, 1, 0).value
  if (Atomics.exchange(numbers, 1, 0) === 1) process.exit(0)
  return 'ordered'
}

function crash(): never {
  throw new TypeError('planted-secret')
}
