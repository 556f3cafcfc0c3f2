import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'
import { startLoad } from '../../fake/load.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { collectRecords } from '../../fake/records.ts'
import { startTokenCounter, TOKEN_COUNTER_ROWS } from '../../fake/token-counter.ts'

// Rules: docs/reference/http.md#memory

const REQUESTS = 20_000
const STEP = 1_000
const BODY_BYTES = 10 * 1024
const GROWTH = 1.1

test(`memory: of ${REQUESTS} requests of 10 KB with their records the second half needs no more memory than the first`, async () => {
  await using nats = await startNatsServer()
  await using llm = await startLlm()
  await using _processor = await startTokenCounter(nats)
  await using records = await collectRecords(nats, { capacity: 100 })
  const config = { ...TOKEN_COUNTER_ROWS, routers: [{ path: '/llm/', outbound: { url: llm.url } }] }
  await using gateway = await startGatewayProcess({ nats, config })
  const kilobytes: number[] = []
  let calls = 0
  while (calls < REQUESTS) {
    await using load = startLoad({ port: gateway.port, paths: ['/llm/chat/completions'], bodyBytes: BODY_BYTES })
    await load.more(STEP)
    await load.stop()
    assert.deepEqual([load.failed, load.failures], [0, []])
    calls += load.right
    // Memory of calls that wait for the token counter must not count as growth, so each step waits for its records.
    await records.waitForCount(calls)
    kilobytes.push(await residentKilobytes(gateway.pid))
  }
  const half = kilobytes.length / 2
  // A sample just before a garbage collection is high; memory that is kept raises all of the second half.
  const [first, second] = [median(kilobytes.slice(0, half)), median(kilobytes.slice(half))]
  assert.ok(second <= GROWTH * first, `RSS in KB, every ${STEP} requests: ${kilobytes.join(' ')}`)
})

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function residentKilobytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}
