import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

const LONGEST_LINE = 1_048_576

/** Calls `line` for each line of a stream, also for a last one without its end; a longer one than 1 Mi characters comes in pieces. */
export function readLines(stream: Readable, line: (text: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) line(part.endsWith('\r') ? part.slice(0, -1) : part)
    if (rest.length > LONGEST_LINE) flush()
  }
  const flush = () => {
    if (rest !== '') line(rest)
    rest = ''
  }
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)))
  stream.on('close', () => {
    take(decoder.end())
    flush()
  })
}
