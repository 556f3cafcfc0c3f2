import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { startInterface } from './interface.ts'

test('the web interface does not start with an impossible address of the bus in its environment', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'gui_config.json')
  await writeFile(file, JSON.stringify({ gui_port: 0 }))
  const logs: string[] = []
  const started = await startInterface({
    file,
    environment: { GATEWAY_HOST: 'bus.prod:70000', NATS_TOKEN: 'token', GUI_SECRET: 'secret' },
    logger: createLogger({ service: 'gui', write: (line) => logs.push(line) }),
    version: '0.0.0',
    places: { node: process.execPath, folders: [folder.path] },
    pageFolder: join(folder.path, 'page'),
    hostName: 'this-machine',
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })
  await started?.close()
  assert.equal(started, undefined)
  const lines = logs.map((line) => JSON.parse(line)).map(({ msg, validation_errors }) => [msg, validation_errors])
  assert.deepEqual(lines.at(-1), ['configuration file validation failed', { GATEWAY_HOST: 'address:' }])
})
