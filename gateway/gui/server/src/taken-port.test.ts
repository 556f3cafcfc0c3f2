import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { bareServer } from './fixture/bare-server.ts'
import { startScene } from './fixture/interface-scene.ts'

test('a taken port is named in a WARN, and the web interface is initialized once the port is free', async () => {
  const other = createServer().listen(0, '0.0.0.0').unref()
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await using scene = await startScene({ guiConfig: { gui_port: port } })
  const lines = (message: string) => scene.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
  const warned = lines('web interface port not available')
  assert.deepEqual(
    warned.map((line) => [line.level, line.port, line.code]),
    [['WARN', port, 'EADDRINUSE']],
  )
  assert.deepEqual(lines('web interface initialized'), [])
  other.close()
  await once(other, 'close')
  for (let tries = 0; tries < 300 && lines('web interface initialized').length === 0; tries += 1) await delay(100)
  assert.deepEqual(
    lines('web interface initialized').map((line) => line.port),
    [port],
  )
})

test('many attempts to open a taken port leave no listeners behind', async (t) => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  const web = await bareServer()
  t.after(async () => {
    process.off('warning', onWarning)
    await web.close()
    other.close()
  })
  for (let tries = 0; tries < 20; tries += 1) await assert.rejects(web.listen(port), { code: 'EADDRINUSE' })
  // A warning is emitted in a turn of its own.
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(warnings, [])
  assert.ok((await web.listen(0)) > 0)
})
