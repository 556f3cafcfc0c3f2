/** More than the longest of the marks below with what may follow it. */
const TAIL_BYTES = 256
/** The last event of a stream: of OpenAI's APIs and of Anthropic's. */
const END = /(?:^|\n)data: ?(?:\[DONE\]|\{"type": ?"message_stop"[^\n]*\})\s*$/

/** Whether a stream's last event has come: clients leave on reading it, and what is left is only the connection's end. */
export function hasEnded(chunks: readonly Buffer[]): boolean {
  const tail: Buffer[] = []
  let bytes = 0
  for (let i = chunks.length - 1; i >= 0 && bytes < TAIL_BYTES; i -= 1) {
    const chunk = chunks[i]
    if (chunk === undefined) break
    tail.unshift(chunk.subarray(-TAIL_BYTES))
    bytes += chunk.length
  }
  return END.test(Buffer.concat(tail).toString('latin1'))
}
