import type { LlmGateway } from '@llm-gateway/crds'
import type { Observation, OvertakenSink, PodRecords } from '../../model/snapshot.ts'
import { bytesOf } from '../objects/quantity.ts'
import type { Verdict } from '../set-condition.ts'

/** A spool that is filled to a larger share is about to lose records or to refuse calls. */
const FULL_SHARE = 0.9
/** A message has at most 256 characters, which leaves room for two sinks. */
const MAX_NAMED = 2

/** Judges whether records of calls survive the pods that hold them. Calls don't depend on this. */
export function recordsVerdict(gateway: LlmGateway, { pods, copies }: Observation): Verdict {
  const reports = pods.flatMap(({ ready, report }) =>
    ready && report.kind === 'reported' && report.records !== undefined ? [{ ...report, records: report.records }] : [],
  )
  const records = reports.map((report) => report.records)
  const idle = records.find(({ stream }) => stream === 'off' || stream === 'missing' || stream === 'failing')
  if (records.some((state) => isFull(gateway, state))) {
    return notDurable('SpoolFull', 'The spool of a gateway pod is nearly full of records that the bus does not take.')
  }
  if (reports.length === 0) {
    return unknown('No ready gateway pod reports whether the bus keeps its records.')
  }
  if (reports.some(({ busConnected }) => !busConnected)) {
    return unknown(
      'A ready gateway pod is not connected to the bus and can not report whether the bus keeps its records.',
    )
  }
  if (idle !== undefined) return notDurable('StreamMissing', idleStreamMessage(idle))
  if (records.some(({ stream }) => stream === 'unknown')) {
    return unknown('A gateway pod has not asked the bus for the stream of records yet.')
  }
  // Lost records are reported before the risk of a loss.
  const overtaken = overtakenIn(records)
  if (overtaken.length > 0) return notDurable('SinkOvertaken', overtakenMessage(overtaken))
  const { type, managed } = gateway.spec.bus
  if (type === 'Managed' && managed.storage.claim === undefined) {
    return notDurable(
      'EphemeralStorage',
      'The bus keeps records in an emptyDir, which is deleted with its pod; only a new LLMGateway can have a claim.',
    )
  }
  if (type === 'Managed' && copies !== undefined && copies < managed.replicas) {
    return notDurable('StreamMissing', `The stream keeps each record on ${copies} of ${managed.replicas} servers.`)
  }
  return {
    status: 'True',
    reason: 'RecordsDurable',
    message: 'The stream of the bus keeps the records.',
  }
}

function notDurable(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}

function unknown(message: string): Verdict {
  return { status: 'Unknown', reason: 'BusUnavailable', message }
}

function isFull({ spec }: LlmGateway, { spooledBytes }: PodRecords): boolean {
  return spooledBytes > 0 && spooledBytes >= FULL_SHARE * bytesOf(spec.record.spool.size)
}

/**
 * Returns each sink with its highest count. Pods ask the same bus, and a pod that asked earlier may not know the last
 * gap.
 */
function overtakenIn(records: readonly PodRecords[]): readonly OvertakenSink[] {
  const most = new Map<string, OvertakenSink>()
  for (const one of records.flatMap(({ overtaken = [] }) => overtaken)) {
    if (one.records > (most.get(one.sink)?.records ?? 0)) most.set(one.sink, one)
  }
  return [...most.values()].toSorted((one, other) => (one.sink < other.sink ? -1 : 1))
}

function overtakenMessage(sinks: readonly OvertakenSink[]): string {
  const named = sinks.slice(0, MAX_NAMED).map(({ sink, records, since }) => `${sink} lacks ${records} since ${since}`)
  const more = sinks.length > MAX_NAMED ? [`and ${sinks.length - MAX_NAMED} more sinks`] : []
  return `Within a day the stream dropped records that sinks had not read: ${[...named, ...more].join(', ')}.`
}

function idleStreamMessage({ stream, code }: PodRecords): string {
  const because = code === undefined ? '' : ` (${code})`
  switch (stream) {
    case 'off':
      return 'Records are published and not kept: the stream is switched off.'
    case 'missing':
      return `The bus keeps no records${because}: it has no stream, or does not let the gateway make one.`
    default:
      return `The stream of the bus takes no records now${because}: they wait in the spool.`
  }
}
