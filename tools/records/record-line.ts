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
