import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../fake/gateway.ts'

// Rules: docs/reference/kept-records.md#losses

test('only the first loss of records is logged, and the process logs the totals at its end', async () => {
  const config = { limits: { record_queue_bytes: 20_000 }, spool: { directory: '' } }
  const gateway = await startGateway({ config })
  const ask = () => fetch(`${gateway.url}/echo/`, { method: 'POST', body: JSON.stringify('x'.repeat(1_000)) })
  for (let count = 0; count < 20; count++) await (await ask()).arrayBuffer()
  const line = await gateway.logs.waitFor(({ msg }) => msg === 'records lost')
  assert.deepEqual([line.level, line.lost, line.total], ['WARN', { queue_full: 1 }, { queue_full: 1 }])
  await gateway.close()
  const last = gateway.logs.entries.findLast(({ msg }) => msg === 'records lost before the exit')
  const { queue_full = 0, exit = 0 } = Object(last?.total)
  assert.ok(exit > 0, JSON.stringify(last))
  assert.equal(queue_full + exit, 20)
  assert.ok(gateway.logs.entries.filter(({ msg }) => msg === 'records lost').length <= 3)
})
