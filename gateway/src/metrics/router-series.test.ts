import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RouterSeries } from './router-series.ts'

const MIB = 1024 * 1024

test('a hundred outcomes of routers with long paths take no memory for each path and outcome', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const routers = Array.from({ length: 500 }, (_, index) => new RouterSeries(`/${'x'.repeat(1_000)}${index}/`))
  for (const router of routers)
    for (let status = 200; status < 300; status += 1) router.requestEnded(status, '', 1, undefined)
  collect()
  const used = process.memoryUsage().heapUsed - before
  assert.ok(used < 16 * MIB, `${used} bytes`)
  assert.equal(routers.flatMap((router) => [...router.outcomes()]).length, 50_000)
})
