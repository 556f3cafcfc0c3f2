import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BusClient, busOptions, connectBus } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'

export const SUBJECT = 'llm.gl.logger'
const STREAM = 'records_llm'
const MEBIBYTE = 1024 * 1024

/** Makes the stream like the gateway (docs/reference/kept-records.md#stream). */
export async function makeRecordStream(
  server: NatsServer,
  { name = STREAM, ...settings }: { readonly name?: string; readonly [setting: string]: unknown } = {},
): Promise<void> {
  await using bus = await connectBusClient(server)
  const config = {
    name,
    subjects: [SUBJECT],
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_age: 7 * 86_400e9,
    max_bytes: 512 * MEBIBYTE,
    max_msg_size: 32 * MEBIBYTE - 4096,
    max_msgs: -1,
    max_consumers: -1,
    num_replicas: 1,
    duplicate_window: 600e9,
    deny_delete: true,
    deny_purge: true,
    ...settings,
  }
  const reply = await bus.request(`$JS.API.STREAM.CREATE.${name}`, Buffer.from(JSON.stringify(config)))
  const { error } = JSON.parse(Buffer.from(reply).toString())
  assert.equal(error, undefined, JSON.stringify(error))
}

/** Connects a client of the bus that ends with the test. */
export async function connected(t: TestContext, server: NatsServer): Promise<BusClient> {
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger: journalLogger().logger })
  assert.ok(bus)
  t.after(() => bus.close())
  return bus
}

export type Numbers = {
  readonly from: number
  readonly to: number
  readonly start?: string
  readonly text?: string
  readonly subject?: string
}

/** Publishes the records `from` … `to - 1` and waits until the stream has them. */
export async function keepRecords(
  bus: BusClient,
  { from, to, start = '1', text = '', subject = SUBJECT }: Numbers,
): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index)
  const keepOne = async (n: number): Promise<void> => {
    const json = JSON.stringify({ n, text })
    const end = performance.now() + 60_000
    for (;;) {
      const kept = await bus.streams.keep(subject, Buffer.from(json), { 'Nats-Msg-Id': `GATEWAY1-${start}-${n}` })
      if (kept.kind === 'found') return
      // The bus may have just restarted.
      assert.ok(performance.now() < end, JSON.stringify(kept))
    }
  }
  while (numbers.length > 0) await Promise.all(numbers.splice(0, 500).map(keepOne))
}

/** Waits until the consumer has acknowledged all messages. */
export async function untilAcknowledged(
  bus: BusClient,
  sink: string,
  sequence: number,
  stream = STREAM,
): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const state = await bus.streams.consumer(stream, sink)
    if (state.kind === 'found' && state.value.floor >= sequence) return
    assert.ok(performance.now() < end, `${sink}: ${JSON.stringify(state)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until the bus has sent the sink every record. */
export async function untilDelivered(bus: BusClient, service: string): Promise<void> {
  for (let isDelivered = false; !isDelivered; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const consumer = await bus.streams.consumer(STREAM, service)
    isDelivered = consumer.kind === 'found' && consumer.value.pending === 0
  }
}

/** Returns the `n` of each record of a file. */
export async function numbersIn(filename: string): Promise<readonly unknown[]> {
  const lines = (await readFile(filename, 'utf8')).split('\n')
  assert.equal(lines.pop(), '')
  return lines.map((line) => JSON.parse(line).n)
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'llm-gateway-sink-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n)
}
