import { SettingsError } from './failure.ts'
import { runThread } from './thread-program.ts'

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
