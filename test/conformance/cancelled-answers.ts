import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/cancelled_answer.py`
const SUBJECT = 'llm.gl.cancelled'
const DEADLINE_MS = 30_000
const ANSWERS = [
  ['a function that awaits a cancelled task', 'task', 'CancelledError'],
  ['a plain function that raises CancelledError', 'plain', 'CancelledError'],
  ['a plain function that raises an error that is no Exception', 'base', 'NoException'],
] as const

/** Registers the tests that a cancelled answer is an outcome of its message, for which no stop waits. */
export function countsCancelledAnswers(
  sdk: () => { readonly installed: InstalledSdk; readonly path: string | undefined },
): void {
  for (const [what, name, error] of ANSWERS) {
    it(`${what} fails for its message alone, and the end of the program does not wait for it`, async () => {
      const { installed, path } = sdk()
      await using nats = await startNatsServer()
      const environment = { PATH: path, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token, ENDS: name }
      await using program = await startProgram({ ...installed, args: [PROGRAM], environment })
      await waitForLine(program, /processor initialized/)
      await using client = await connectBusClient(nats)
      // No reply comes; the time ends long after the message has had its outcome.
      void client.ask(SUBJECT, Buffer.from('{}'), DEADLINE_MS).catch(() => undefined)
      await waitForLine(program, /"processor gave no answer"/)
      assert.deepEqual(await program.stop(), { code: 0, signal: null })
      const lines = program.lines.entries.join('\n')
      assert.match(lines, new RegExp(`"name": ?"${error}".*"processor gave no answer"`))
      // The program says so where messages have no outcome after all of the time for the drain.
      assert.doesNotMatch(lines, /processor ends with messages in work/)
    })
  }
}
