import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/loop_turns.py`

/** Registers the test that large messages and answers don't hold up the event loop of the Python SDK. */
export function leavesTurns(sdk: () => { readonly installed: InstalledSdk }): void {
  it('the event loop takes turns while a large message is read and its large answer is encoded', async () => {
    const { stdout } = await promisify(execFile)(sdk().installed.command, [PROGRAM])
    assert.deepEqual(JSON.parse(stdout), { answered: true, turns: [true, true] })
  })
}
