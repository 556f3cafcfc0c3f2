import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/watch_keys.py`
/** The program reports a bucket of so many keys, of which the first have expired. */
const KEYS = 1_000
const EXPIRED = 10
/** At most: a look at the oldest key for each message, one at each expired key, and one at each key at the end. */
const MOST_LOOKS = 3 * KEYS

/** Registers the test that a watch of the Python SDK takes a time in proportion to the bucket. */
export function watchesKeys(sdk: () => { readonly installed: InstalledSdk }): void {
  it('a watch looks at its keys a few times while a bucket is reported, and drops those that have expired', async () => {
    const { stdout } = await promisify(execFile)(sdk().installed.command, [PROGRAM])
    const { looks, known } = JSON.parse(stdout)
    assert.equal(known, KEYS - EXPIRED)
    assert.ok(looks <= MOST_LOOKS, `${looks} looks`)
  })
}
