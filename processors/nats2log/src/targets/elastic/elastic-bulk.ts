import { isJsonObject, toOneLine } from '@llm-gateway/protocol'
import { failureOfStatus, isSuccess } from '../http/http-target.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord } from '../writer.ts'

const CREATE = Buffer.from('{"create":{}}\n')
const LINE_END = Buffer.from('\n')
/** The status of a document whose id already exists: an earlier try has delivered it. */
export const ALREADY_THERE = 409

/** Encodes the body of a bulk request: for each record a line with the action and a line with the record. */
export function encodeBulk(
  records: readonly SinkRecord[],
  { documentIds }: { readonly documentIds: boolean },
): Uint8Array {
  return Buffer.concat(
    records.flatMap((record) => {
      const id = documentIds ? documentId(record) : undefined
      const action = id === undefined ? CREATE : Buffer.from(`{"create":{"_id":${JSON.stringify(id)}}}\n`)
      return [action, toOneLine(record.bytes), LINE_END]
    }),
  )
}

/** Reads each record's status from a bulk answer; after a malformed answer all records are tried again. */
export function decodeBulk(text: string, records: readonly SinkRecord[]): Attempt {
  const statuses = itemStatuses(text)
  if (statuses.length !== records.length) return allFailed(records, { code: 'BULK_ANSWER', again: true })
  const failed = records.flatMap((record, index) => {
    const status = statuses[index] ?? 0
    return isSuccess(status) || status === ALREADY_THERE ? [] : [{ record, ...failureOfStatus(status) }]
  })
  return failed.length === 0 ? DELIVERED : { failed, apart: true }
}

/** Returns the record's id when Elasticsearch takes it (at most 512 bytes); otherwise Elasticsearch assigns one. */
export function documentId({ id }: SinkRecord): string | undefined {
  return id !== undefined && /^[\x21-\x7e]{1,512}$/.test(id) ? id : undefined
}

/** Parses an answer of Elasticsearch; undefined when it is no JSON object, such as a page of a proxy. */
export function answerObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return isJsonObject(answer) ? answer : undefined
  } catch {
    return undefined // the caller tells what a malformed answer means
  }
}

function itemStatuses(text: string): readonly number[] {
  const items = answerObject(text)?.items
  if (!Array.isArray(items)) return []
  return items.flatMap((item: unknown) => {
    const outcome = isJsonObject(item) ? Object.values(item)[0] : undefined
    return isJsonObject(outcome) && isStatus(outcome.status) ? [outcome.status] : []
  })
}

/** Another number would become a code of its own in log lines, counts and headers of dead letters. */
function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 999
}
