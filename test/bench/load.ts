// The load of the bench, a process that takes one order at a time: `node load.ts [BUS_PORT TOKEN SUBJECT]`.
import { runBursts } from './burst-run.ts'
import { COMPLETION } from './canned-answer.ts'
import { chatBody } from './chat-body.ts'
import { type RunResult, run } from './load-run.ts'
import { onParentMessage, sendToParent } from './parent-messages.ts'
import { type RecordCounts, watchRecords } from './record-watch.ts'

export type LoadCommand = {
  readonly port: number
  readonly path: string
  readonly bytes: number
  readonly text: 'ascii' | 'unicode'
  readonly stream: boolean
  /** Uses streams that begin and end together in place of the loops. */
  readonly bursts?: boolean
  readonly connections: number
  readonly seconds: number
  readonly requests?: number
  readonly rate?: number
  /** True if every call must leave a record. */
  readonly records: boolean
}

export type LoadAnswer = RunResult & { readonly records: RecordCounts | undefined }

// Below the gateway's record_queue_bytes (32 MiB): the bench measures a record's cost, not drops by a slow subscriber.
const HELD_RECORD_BYTES = 24 * 1024 * 1024
const MAX_REQUESTS = 5_000_000

const [port, token = '', subject = ''] = process.argv.slice(2)
const watch = port === undefined ? undefined : await watchRecords({ port: Number(port), token, subject })
let serial = 0

async function runCommand(order: LoadCommand): Promise<LoadAnswer> {
  const body = chatBody(order.bytes, order.text, order.stream)
  const watched = order.records ? watch : undefined
  const answer = order.stream ? '' : COMPLETION
  await watched?.expect({
    template: body.bytes,
    serialOffset: body.serialOffset,
    answer,
    firstSerial: serial + 1,
    capacity: MAX_REQUESTS,
  })
  const maxAhead = Math.max(1, HELD_RECORD_BYTES / (2 * order.bytes + 4_096) - order.connections)
  const target = {
    port: order.port,
    path: order.path,
    body,
    answerBytes: order.stream ? undefined : Buffer.byteLength(COMPLETION),
  }
  const nextSerial = (): number => {
    serial += 1
    return serial
  }
  if (order.bursts === true) {
    const result = await runBursts({ target, seconds: order.seconds, nextSerial })
    return { ...result, records: await watched?.settled(result.ok) }
  }
  const result = await run({
    target,
    connections: order.connections,
    seconds: order.seconds,
    requests: Math.min(order.requests ?? MAX_REQUESTS, MAX_REQUESTS),
    ...(order.rate === undefined ? {} : { rate: order.rate }),
    nextSerial,
    mayStart: (answered) => watched === undefined || answered - watched.counts.received < maxAhead,
  })
  return { ...result, records: await watched?.settled(result.ok) }
}

onParentMessage<LoadCommand>((order) => {
  void runCommand(order).then(sendToParent, (error) => sendToParent({ failed: String(error) }))
})
sendToParent({ ready: true })
