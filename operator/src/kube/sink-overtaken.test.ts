import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTransport } from '@llm-gateway/kube'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startGateway } from '@llm-gateway/test/fake/gateway'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordsVerdict } from '../translate/gateway/records-verdict.ts'
import { observationOf } from '../translate/golden-input-under-test.ts'
import type { Verdict } from '../translate/set-condition.ts'
import { createAskPod } from './ask-pod.ts'
import { decodePod } from './decode.ts'
import { decodeGateway } from './decode-resource.ts'

// Rules: docs/reference/kept-records.md#sinks, docs/reference/kubernetes.md#conditions

const SINK = join(import.meta.dirname, '../../../processors/nats2log/src/main.ts')
const METADATA = { name: 'main', namespace: 'llm', uid: 'u', creationTimestamp: '2026-11-21T01:00:00Z' }
const BOUND = 100

test('RecordsDurable is False once a sink was away while the stream exceeded its bound', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using bus = await connectBusClient(server)
  const stream = { name: 'records_llm', subjects: ['llm.gl.logger'], max_msgs: BOUND }
  await askBus(bus, '$JS.API.STREAM.CREATE.records_llm', stream)
  await using folder = await temporaryFolder()
  await publish(bus, 50)
  const first = await startSink(server, folder.path)
  await untilDelivered(bus, 50)
  await first.stop()
  await verdictAt(server, 'RecordsDurable')

  await publish(bus, 300)
  const second = await startSink(server, folder.path)
  await waitForLine(second, /dropped by the stream/)
  await untilDelivered(bus, 350)
  await second.stop()
  // The sink's counters ended with its process. Its note of the gap stays.
  const { status, message } = await verdictAt(server, 'SinkOvertaken')
  assert.equal(status, 'False')
  assert.match(message, / nats2file lacks 200 since 20\d\d-[-\d]{5}T[:\d]{8}Z\.$/)
})

/**
 * Waits for the operator's verdict on a gateway whose pod runs on this bus. The pod is asked as from outside the
 * cluster.
 */
async function verdictAt(server: NatsServer, reason: string): Promise<Verdict> {
  await using gateway = await startGateway({ nats: server, admin: true })
  await gateway.logs.waitFor(({ msg }) => msg === 'bus keeps records')
  const api = createServer(async (_, response) => {
    response.end(await (await fetch(`${gateway.adminUrl}/status`)).text())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => api.once('listening', resolve))
  const place = api.address()
  assert.ok(typeof place === 'object' && place !== null)
  const access = {
    server: `http://127.0.0.1:${place.port}`,
    tls: {},
    authorization: async () => undefined,
    refused: () => undefined,
  }
  const transport = createTransport({ access })
  const ask = createAskPod(transport, 'proxy')
  const pod = decodePod({ metadata: METADATA })
  const claim = { size: '1Gi' }
  const main = decodeGateway({
    metadata: { ...METADATA, generation: 1 },
    spec: { bus: { managed: { storage: { claim } } } },
  })
  assert.ok(pod && main)
  try {
    const observation = observationOf({}, { digest: '', entries: new Map() })
    for (const end = performance.now() + 60_000; ; ) {
      const report = await ask(pod, { entries: false })
      const verdict = recordsVerdict(main, { ...observation, pods: [{ name: 'main', ready: true, lagMs: 0, report }] })
      if (verdict.reason === reason) return verdict
      assert.ok(performance.now() < end, JSON.stringify({ verdict, report }))
    }
  } finally {
    await transport.close()
    api.close()
  }
}

async function askBus(bus: BusClient, subject: string, body: object): Promise<Record<string, unknown>> {
  return JSON.parse(Buffer.from(await bus.request(subject, Buffer.from(JSON.stringify(body)), 60_000)).toString())
}

async function publish(bus: BusClient, count: number): Promise<void> {
  for (let n = 0; n < count; n++) assert.ok((await askBus(bus, 'llm.gl.logger', { n })).seq)
}

async function untilDelivered(bus: BusClient, sequence: number): Promise<void> {
  for (const end = performance.now() + 60_000; ; ) {
    const state = await askBus(bus, '$JS.API.CONSUMER.INFO.records_llm.nats2file', {})
    if (JSON.stringify(state.ack_floor)?.includes(`"stream_seq":${sequence}`)) return
    assert.ok(performance.now() < end, JSON.stringify(state))
  }
}

async function startSink({ address, token }: NatsServer, folder: string): Promise<Program> {
  const file = join(folder, 'nats2file_config.json')
  const target = { mode: 'file_writer', file_writer: { filename: join(folder, 'records.jsonl') } }
  await writeFile(file, JSON.stringify({ ...target, service_bus: { hostname: address, token }, admin_port: 0 }))
  return await startProgram({ command: process.execPath, args: [SINK, '-o', file] })
}
