import { compileJsonPath, decodeMessage, printableLine } from '@llm-gateway/protocol'

/** Makes a function that returns a record's line: the whole record or one field; `-` when it lacks the field. */
export function createRecordLine(field: string): (record: Uint8Array) => string {
  if (field === '') return printableLine
  const select = compileJsonPath(field)
  return (record) => {
    const value = select(decodeMessage(record))
    if (value === undefined) return '-'
    // A text that would break the line or look like another value keeps its quotes.
    const isPlain = typeof value === 'string' && /^[\x20-\x7e\u00a0-\uffff]+$/.test(value)
    return printableLine(Buffer.from(isPlain ? value : JSON.stringify(value)))
  }
}

/** Returns advice for an unreachable bus by the error's code; undefined without any. */
export function busHint(fields: object): string | undefined {
  const code = 'code' in fields ? fields.code : undefined
  if (code === 'AUTHORIZATION_VIOLATION') return 'the bus refused the token: set NATS_TOKEN to the token of `make run`'
  if (code === 'CONNECTION_REFUSED')
    return 'no bus listens there: start `make run`, or set GATEWAY_HOST to the host:port of the bus'
  return undefined
}
