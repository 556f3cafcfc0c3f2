import type { LlmGateway } from '@llm-gateway/crds'
import type { Observation, PodRecords } from '../../snapshot.ts'
import { bytesOf } from '../objects/quantity.ts'
import type { Verdict } from '../set-condition.ts'

/** A spool that is as full as that is about to lose records, or to refuse calls. */
const FULL_SHARE = 0.9

/** Whether the records of calls survive the pods that hold them; calls don't depend on it. */
export function recordsVerdict(gateway: LlmGateway, { pods }: Observation): Verdict {
  const said = pods.flatMap(({ ready, report }) =>
    ready && report.kind === 'reported' && report.records !== undefined ? [{ ...report, records: report.records }] : [],
  )
  const records = said.map((report) => report.records)
  const idle = records.find(({ stream }) => stream === 'off' || stream === 'missing' || stream === 'failing')
  if (records.some((one) => isFull(gateway, one))) {
    return no('SpoolFull', 'The spool of a pod is nearly full of records that the bus does not take.')
  }
  if (said.length === 0 || said.some(({ busConnected }) => !busConnected)) {
    return { status: 'Unknown', reason: 'BusUnavailable', message: 'No ready pod with the bus says what it keeps.' }
  }
  if (idle !== undefined) return no('StreamMissing', whyIdle(idle))
  if (records.some(({ stream }) => stream === 'unknown')) {
    return { status: 'Unknown', reason: 'BusUnavailable', message: 'A pod has not asked the bus for its stream yet.' }
  }
  const { type, managed } = gateway.spec.bus
  if (type === 'Managed' && managed.storage.claim === undefined) {
    return no('EphemeralStorage', 'The bus keeps records in an emptyDir, which goes with its pod; a claim does not.')
  }
  return {
    status: 'True',
    reason: 'RecordsDurable',
    message: 'The stream of the bus takes records, and its store stays.',
  }
}

function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}

function isFull({ spec }: LlmGateway, { spooledBytes }: PodRecords): boolean {
  return spooledBytes > 0 && spooledBytes >= FULL_SHARE * bytesOf(spec.record.spool.size)
}

function whyIdle({ stream, code }: PodRecords): string {
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
