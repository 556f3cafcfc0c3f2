import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../fake/free-port.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/crowded_port.py`

/** Registers the test that a probe finds the Python SDK's port open beside any number of other connections. */
export function answersBesideACrowd(sdk: () => { readonly installed: InstalledSdk }): void {
  it('a probe gets its answer beside 150 connections that send nothing, the oldest of which are cut', async () => {
    const port = await freePort()
    const { stdout } = await promisify(execFile)(sdk().installed.command, [PROGRAM, String(port)])
    const [status, cut] = stdout.trim().split('\n')
    assert.equal(status, 'HTTP/1.1 200 OK')
    assert.ok(Number(cut) >= 50, `${cut} connections were cut`)
  })
}
