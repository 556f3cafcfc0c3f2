import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/large_metrics.py`

/** Registers the test that the Python SDK's metrics have all digits. */
export function showsLargeMetrics(sdk: () => { readonly installed: InstalledSdk }): void {
  it('a counter grows by one above a million, too', async () => {
    const { stdout } = await promisify(execFile)(sdk().installed.command, [PROGRAM])
    assert.deepEqual(stdout.match(/(?<=^large_\w+\{processor="large"\} ).*$/gm), ['12345679', '33554431', '0.25', '1'])
  })
}
