import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatewayDrainMs } from './plan-services.ts'

const files: readonly (readonly [what: string, text: string, ms: number])[] = [
  ['the times in the file', '{"limits":{"drain_delay_ms":"${DELAY}","drain_ms":2000}}', 2_500],
  ['the time in the file and the default of the other', '{"limits":{"drain_delay_ms":5000}}', 615_000],
  ['the defaults when the file is broken', '{"limits":', 610_000],
  ['the defaults when the file is refused', '{"gl_port":"many","limits":{"drain_ms":1}}', 610_000],
]
for (const [what, text, ms] of files) {
  test(`a stop of the gateway takes ${what}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-drain-'))
    const file = join(folder, 'gl_config.json')
    await writeFile(file, text)
    assert.equal(await gatewayDrainMs(file, { DELAY: '500' }), ms)
    await rm(folder, { recursive: true })
  })
}

test('a stop of the gateway uses the default drain times when the reading of its file hangs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-drain-'))
  const file = join(folder, 'gl_config.json')
  await writeFile(file, '{"limits":{"drain_ms":1}}')
  const read = () => new Promise<never>(() => undefined)
  assert.equal(await gatewayDrainMs(file, {}, { read, timeoutMs: 1 }), 610_000)
  await rm(folder, { recursive: true })
})

test('a stop of the gateway uses the default drain times when its file is gone', async () => {
  assert.equal(await gatewayDrainMs('/nowhere/gl_config.json', {}), 610_000)
})
