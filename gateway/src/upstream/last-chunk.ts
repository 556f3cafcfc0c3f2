/**
 * The place of llhttp's flags in the memory of a parser, in bytes, and the flag that llhttp sets behind the line of the
 * last chunk and clears behind the answer (llhttp.h, `flags` and `F_TRAILING`).
 */
const FLAGS_AT = 50
const TRAILING = 0x80

/**
 * Returns true where undici's parser stands between the last chunk of a body and the end of the answer. undici reports
 * the trailers there and not the chunk itself, so that the flag is read from the parser's memory.
 */
export function isBehindLastChunk(parser: unknown): boolean {
  const pointer = partOf(parser, 'ptr')
  const memory = partOf(partOf(parser, 'llhttp'), 'memory')
  if (typeof pointer !== 'number' || !(memory instanceof WebAssembly.Memory)) return false
  return (new DataView(memory.buffer).getUint16(pointer + FLAGS_AT, true) & TRAILING) !== 0
}

function partOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
}
