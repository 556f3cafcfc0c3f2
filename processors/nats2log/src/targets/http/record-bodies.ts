import { toOneLine } from '@llm-gateway/protocol'

type Bytes = { readonly bytes: Uint8Array }

const LINE_END = Buffer.from('\n')
const COMMA = Buffer.from(',')

/** Joins records to one record per line. */
export function jsonLines(records: readonly Bytes[]): Uint8Array {
  return Buffer.concat(records.flatMap(({ bytes }) => [toOneLine(bytes), LINE_END]))
}

/** Joins records to a JSON array. */
export function jsonArray(records: readonly Bytes[]): Uint8Array {
  const pieces = records.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]))
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')])
}
