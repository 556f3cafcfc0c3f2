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
      case 'fill': {
        const held: number[][] = []
        for (;;) held.push(Array.from({ length: 1_000 }, (_, n) => n))
      }
      default:
        return question
    }
  }
})

function crash(): never {
  throw new TypeError('planted-secret')
}
