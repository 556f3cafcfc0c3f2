import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/count_values.py`
/** The program counts the values of texts of eight million bytes. */
const MOST_BYTES = 8_000_000

/** Registers the test that the Python SDK counts a message's values in little memory. */
export function countsValues(sdk: () => { readonly installed: InstalledSdk }): void {
  it('the values of a message are counted a piece at a time, in less memory than the message takes', async () => {
    const { stdout } = await promisify(execFile)(sdk().installed.command, [PROGRAM])
    const { wrong, peaks } = JSON.parse(stdout)
    assert.deepEqual(wrong, [])
    assert.equal(Object.keys(peaks).length, 5)
    for (const [unit, bytes] of Object.entries(peaks)) {
      assert.ok(Number(bytes) < MOST_BYTES, `${bytes} bytes for a text of ${JSON.stringify(unit)}`)
    }
  })
}
