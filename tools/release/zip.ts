import { crc32, deflateRawSync } from 'node:zlib'
import type { Files } from './archive.ts'

const VERSION_NEEDED = 20
/** Made by Unix: the upper half of the attributes is then a mode. */
const VERSION_MADE_BY = (3 << 8) | VERSION_NEEDED
const UTF8_NAMES = 0x0800
const DEFLATE = 8
const REGULAR_FILE = 0o100644
/** The first year of a zip's times. */
const FIRST_YEAR = 1980

/**
 * Returns a zip of files in the given order, all with one time (seconds since 1970; 1980 at the earliest, in UTC) and
 * mode 0644.
 */
export function zip(files: Files, epoch: number): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [path, content] of files) {
    const [name, plain] = [Buffer.from(path), Buffer.from(content)]
    const packed = deflateRawSync(plain, { level: 9 })
    const shared = sharedHeader({ name, plain, packed, epoch })
    const local = Buffer.concat([uint32(0x04034b50), shared, uint16(0), name, packed])
    const attributes = Buffer.concat([uint16(0), uint16(0), uint16(0), uint16(0), uint32((REGULAR_FILE << 16) >>> 0)])
    const place = [uint32(0x02014b50), uint16(VERSION_MADE_BY), shared, attributes, uint32(offset), name]
    locals.push(local)
    centrals.push(Buffer.concat(place))
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const count = uint16(files.size)
  const end = [
    uint32(0x06054b50),
    uint16(0),
    uint16(0),
    count,
    count,
    uint32(central.length),
    uint32(offset),
    uint16(0),
  ]
  return Buffer.concat([...locals, central, ...end])
}

type Member = { readonly name: Buffer; readonly plain: Buffer; readonly packed: Buffer; readonly epoch: number }

/** Returns the part that a file's header and its directory entry share, up to the length of the name. */
function sharedHeader({ name, plain, packed, epoch }: Member): Buffer {
  const at = new Date(Math.max(epoch * 1_000, Date.UTC(FIRST_YEAR, 0, 1)))
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const date = ((at.getUTCFullYear() - FIRST_YEAR) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const sizes = [uint32(crc32(plain)), uint32(packed.length), uint32(plain.length)]
  return Buffer.concat([
    ...[VERSION_NEEDED, UTF8_NAMES, DEFLATE, time, date].map(uint16),
    ...sizes,
    uint16(name.length),
  ])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
