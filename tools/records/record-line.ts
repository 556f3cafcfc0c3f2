import { compileJsonPath, decodeMessage, toOneLine } from '@llm-gateway/protocol'

/** What one record is shown as: the whole of it on one line, or one field; `-` where it has none. */
export function createRecordLine(field: string): (record: Uint8Array) => string {
  if (field === '') return (record) => Buffer.from(toOneLine(record)).toString('utf8')
  const select = compileJsonPath(field)
  return (record) => {
    const value = select(decodeMessage(record))
    if (value === undefined) return '-'
    // A text that would look like something else, or break the line, keeps its quotes.
    return typeof value === 'string' && /^[\x20-\x7e\u00a0-\uffff]+$/.test(value) ? value : JSON.stringify(value)
  }
}

/** What to do about a bus that isn't reachable, by the code; undefined where there is nothing to add. */
export function busHint(fields: object): string | undefined {
  if (!('code' in fields) || fields.code !== 'AUTHORIZATION_VIOLATION') return undefined
  return 'the bus has another token: set NATS_TOKEN here to the one that `make run` was started with'
}
