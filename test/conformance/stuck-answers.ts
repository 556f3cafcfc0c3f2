import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/stuck_answer.py`
const SUBJECT = 'llm.gl.stuck'
const ANSWERS = [
  ['a plain function that never returns', 'plain'],
  ['a function that waits for a thread that never ends', 'thread'],
  ['a function that ignores its cancellation', 'uncancelled'],
] as const

/** Registers the tests that no answer holds up the end of a program with the Python SDK. */
export function endsWithStuckAnswers(
  sdk: () => { readonly installed: InstalledSdk; readonly path: string | undefined },
): void {
  for (const [what, name] of ANSWERS) {
    it(`${what} does not hold up the end of the program, which says so`, async () => {
      const { installed, path } = sdk()
      await using nats = await startNatsServer()
      const environment = { PATH: path, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token, STUCK: name }
      await using program = await startProgram({ ...installed, args: [PROGRAM], environment })
      await waitForLine(program, /processor initialized/)
      await using client = await connectBusClient(nats)
      await assert.rejects(client.ask(SUBJECT, Buffer.from('{}'), 1_000), { code: 'TIMEOUT' })
      // SIGKILL follows after the 30 s that Kubernetes gives.
      assert.deepEqual(await program.stop(), { code: 0, signal: null })
      assert.match(program.lines.entries.join('\n'), /processor ends with unfinished work/)
    })
  }
}
