import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { publisherOn, record, spooled, until } from './publisher-under-test.ts'

test('the process ends while the disk hangs', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  {
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path)
    counted.publisher.publish(record(1))
    await until(counted, spooled(1))
  }
  await using connection = recordConnectionUnderTest(server)
  const counted = publisherOn(connection, folder.path, { diskLimitMs: 100 })
  await until(counted, spooled(1))
  // Opening a pipe waits for its other end, as a share that hangs lets all calls wait.
  const [name = ''] = (await readdir(folder.path)).filter((file) => file.endsWith('.records'))
  await rm(join(folder.path, name))
  await promisify(execFile)('mkfifo', [join(folder.path, name)])
  await server.restart()
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await counted.publisher.drain(100)
  await counted.publisher.close()
  assert.equal(counted.publisher.isDiskHung, true)
  await (await open(join(folder.path, name), 'r+')).close()
})
