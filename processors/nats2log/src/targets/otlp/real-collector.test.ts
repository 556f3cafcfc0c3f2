import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '../../stream/stream-under-test.ts'
import { DELIVERED } from '../writer.ts'
import { createOtlpWriter } from './otlp-writer.ts'

/** Built by tools/targets. */
const COLLECTOR = join(import.meta.dirname, '../../../../../.tools/targets/collector')

test('a real OpenTelemetry Collector reads the records', async (t) => {
  if (!existsSync(COLLECTOR)) return t.skip('no collector: run make targets')
  const port = await freePort()
  const file = join(await temporaryFolder(t), 'collector.yaml')
  await writeFile(file, configuration(port))
  await using collector = await startProgram({ command: COLLECTOR, args: ['--config', `file:${file}`] })
  await waitForLine(collector, /Everything is ready/)
  const url = new URL(`http://127.0.0.1:${port}`)
  const tls = { rejectUnauthorized: true, ca: [] }
  const writer = createOtlpWriter({ url, headers: {}, serviceName: 'gateway', tls, now: Date.now })
  const response = { gl_path: '/a/', egress_status_code: 200, token_count: { prompt_tokens: 3, completion_tokens: 4 } }
  const bytes = Buffer.from(JSON.stringify({ session_id: 'the-session', response }))
  assert.deepEqual(await writer.write([{ id: 'G-1-1', bytes }]), DELIVERED)
  await waitForLine(collector, /gen_ai\.usage\.input_tokens: Int\(3\)/)
  await waitForLine(collector, /http\.response\.status_code: Int\(200\)/)
  await waitForLine(collector, /session\.id: Str\(the-session\)/)
  await waitForLine(collector, /log\.record\.uid: Str\(G-1-1\)/)
  await writer.close()
})

function configuration(port: number): string {
  return `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { logs: { receivers: [otlp], exporters: [debug] } }
`
}
