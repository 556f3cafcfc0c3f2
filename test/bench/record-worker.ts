// The subscriber of the bench, in a thread of its own. Every record must contain the payload that was sent under its
// serial and the answer to it, byte for byte, which is stronger and cheaper than comparing hashes. The counts are in
// shared memory, so that the load never waits for a message.
import { parentPort, workerData } from 'node:worker_threads'
import { readSerial, writeSerial } from './chat-body.ts'
import { subscribeWire } from './nats-wire.ts'
import { COUNTERS, type Expectation, type WatchSettings } from './record-watch.ts'

const settings: WatchSettings = workerData
const counters = new Int32Array(settings.counters)
const INGRESS = Buffer.from('"ingress_payload":')
const OUTBOUND = Buffer.from('"outbound_payload":')
const EGRESS = Buffer.from('"egress_payload":')
/** One record in this number of records is also parsed completely. */
const PARSE_EVERY = 100

let template = Buffer.alloc(0)
let expectation: Expectation = { template: new Uint8Array(), serialOffset: 0, answer: '', firstSerial: 0, capacity: 0 }
let answer = Buffer.alloc(0)
let seen = new Uint8Array()
let taken = 0

function count(counter: keyof typeof COUNTERS): void {
  Atomics.add(counters, COUNTERS[counter], 1)
}

/** Returns the bytes of a value behind its key; undefined if the record is shorter or the value longer. */
function valueAfter(record: Buffer, key: Buffer, length: number): Buffer | undefined {
  const at = record.indexOf(key)
  const value = at < 0 ? undefined : record.subarray(at + key.length, at + key.length + length)
  // A comma or brace behind the value proves that the value ends there.
  const after = at < 0 ? undefined : record[at + key.length + length]
  return after === 0x2c || after === 0x7d ? value : undefined
}

function judgeRecord(record: Buffer): keyof typeof COUNTERS {
  const ingress = valueAfter(record, INGRESS, template.length)
  if (ingress === undefined) return 'wrong'
  const serial = readSerial(ingress, expectation.serialOffset)
  const index = serial - expectation.firstSerial
  if (!(index >= 0 && index < expectation.capacity)) return 'late'
  writeSerial(template, expectation.serialOffset, serial)
  const outbound = valueAfter(record, OUTBOUND, template.length)
  if (!ingress.equals(template) || outbound?.equals(template) !== true) return 'wrong'
  if (answer.length > 0 && valueAfter(record, EGRESS, answer.length)?.equals(answer) !== true) return 'wrong'
  taken += 1
  if (taken % PARSE_EVERY === 0 && JSON.parse(record.toString()).cut !== undefined) return 'wrong'
  if (seen[index] === 1) return 'repeats'
  seen[index] = 1
  return 'received'
}

await subscribeWire({
  ...settings,
  take: ({ payload }) => count(judgeRecord(payload)),
  failed: () => count('disconnected'),
})
parentPort?.on('message', (next: Expectation) => {
  expectation = next
  template = Buffer.from(next.template)
  answer = Buffer.from(next.answer)
  seen = new Uint8Array(next.capacity)
  for (const counter of Object.values(COUNTERS)) Atomics.store(counters, counter, 0)
  parentPort?.postMessage('ready')
})
parentPort?.postMessage('subscribed')
