import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'

// Rules: docs/reference/http.md#memory

const MIB = 1024 * 1024

const CALLS = 16
const BODY_BYTES = 40 * MIB
/** Half of the 640 MiB of all bodies, and far above the peak of a single call. */
const MOST_GROWTH_BYTES = 320 * MIB

const LARGE = Buffer.alloc(BODY_BYTES, 'x')

test('records that wait for the bus hold no memory of bodies that are cut', async () => {
  await using llm = await startLlm()
  llm.respond(() => ({ kind: 'answer', headers: [['Content-Type', 'text/plain']], body: LARGE }))
  const config = { routers: [{ path: '/llm/', outbound: { url: llm.url } }] }
  await using gateway = await startGatewayProcess({ admin: true, config })
  const before = await residentBytes(gateway.pid)
  for (let call = 0; call < CALLS; call++) {
    const answer = await fetch(`${gateway.url}/llm/`)
    assert.equal((await answer.arrayBuffer()).byteLength, BODY_BYTES)
  }
  const growth = (await residentBytes(gateway.pid)) - before
  assert.ok(growth < MOST_GROWTH_BYTES, `${Math.round(growth / MIB)} MiB more after ${CALLS} calls`)
})

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
