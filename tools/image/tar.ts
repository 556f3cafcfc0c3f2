import type { Entry } from './entry.ts'

export type TarOptions = {
  /** The time of all entries, in seconds since 1970. */
  readonly mtime: number
  /** Called with each file's size in bytes. */
  readonly wrote?: (path: string, size: number) => void
}

const BLOCK = 512
const NAME_BYTES = 100
/** The largest size in 11 octal digits. */
const MOST_BYTES = 0o77777777777

/**
 * Yields a POSIX tar of the entries in their order: ustar headers, a pax header before a name that doesn't fit, owner
 * 0:0. The same entries give the same bytes on every machine. Files are read one at a time.
 */
export function* tar(entries: Iterable<Entry>, options: TarOptions): Generator<Buffer> {
  for (const entry of entries) yield* entryBlocks(entry, options)
  yield Buffer.alloc(2 * BLOCK)
}

function* entryBlocks(entry: Entry, { mtime, wrote }: TarOptions): Generator<Buffer> {
  switch (entry.kind) {
    case 'directory':
      yield* header({ path: `${entry.path}/`, mode: entry.mode, size: 0, type: '5', target: '', mtime })
      return
    case 'link':
      yield* header({ path: entry.path, mode: 0o777, size: 0, type: '2', target: entry.target, mtime })
      return
    case 'file': {
      const content = entry.read()
      wrote?.(entry.path, content.length)
      yield* header({ path: entry.path, mode: entry.mode, size: content.length, type: '0', target: '', mtime })
      yield* padded(content)
      return
    }
    default:
      entry satisfies never
  }
}

type Header = {
  readonly path: string
  readonly mode: number
  readonly size: number
  readonly type: '0' | '2' | '5' | 'x'
  readonly target: string
  readonly mtime: number
}

function* header(fields: Header): Generator<Buffer> {
  const records = [
    ...(fitsHeader(fields.path) ? [] : [paxRecord('path', fields.path)]),
    ...(fitsHeader(fields.target) ? [] : [paxRecord('linkpath', fields.target)]),
  ]
  if (records.length > 0) {
    const content = Buffer.concat(records)
    yield block({ ...fields, path: 'PaxHeader', mode: 0o644, size: content.length, type: 'x', target: '' })
    yield* padded(content)
  }
  yield block(fields)
}

/** Returns whether ustar can hold a name; other names go into a pax header, whose encoding is UTF-8. */
function fitsHeader(name: string): boolean {
  return name.length <= NAME_BYTES && /^[\x20-\x7e]*$/.test(name)
}

/** Returns `LENGTH KEY=VALUE` and a line feed. The length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const guess = bytes + String(bytes).length
  return Buffer.from(`${bytes + String(guess).length}${rest}`)
}

function block({ path, mode, size, type, target, mtime }: Header): Buffer {
  if (size > MOST_BYTES) throw new Error(`image: ${path} is too large for a tar`)
  const bytes = Buffer.alloc(BLOCK)
  bytes.write(path, 0, NAME_BYTES)
  bytes.write(octal(mode, 7), 100)
  bytes.write(octal(0, 7), 108)
  bytes.write(octal(0, 7), 116)
  bytes.write(octal(size, 11), 124)
  bytes.write(octal(mtime, 11), 136)
  bytes.write(type, 156)
  bytes.write(target, 157, NAME_BYTES)
  bytes.write('ustar\x0000', 257)
  bytes.write(octal(0, 7), 329)
  bytes.write(octal(0, 7), 337)
  // The checksum counts its own field as spaces.
  const sum = bytes.reduce((total, byte) => total + byte, 8 * 0x20)
  bytes.write(`${octal(sum, 6)}\x00 `, 148)
  return bytes
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

function* padded(content: Buffer): Generator<Buffer> {
  yield content
  const over = content.length % BLOCK
  if (over > 0) yield Buffer.alloc(BLOCK - over)
}
