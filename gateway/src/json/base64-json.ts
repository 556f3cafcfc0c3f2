import type { Slice } from '../work/work-queue.ts'

const START = '{"base64":"'
const END = '"}'
/** A multiple of three, so that only the last piece needs padding. */
const PIECE_BYTES = 49_152

/**
 * Returns the bytes as `{"base64":"…"}`; undefined where that exceeds `maxBytes`. Returns no promise up to 48 KiB.
 */
export function base64Json(
  bytes: Buffer,
  maxBytes: number,
  slice: Slice,
): Promise<Buffer | undefined> | Buffer | undefined {
  const length = START.length + 4 * Math.ceil(bytes.length / 3) + END.length
  if (length > maxBytes) return undefined
  const target = Buffer.allocUnsafe(length)
  target.write(START, 0, 'latin1')
  target.write(END, length - END.length, 'latin1')
  if (bytes.length > PIECE_BYTES) return writeInSlices(bytes, target, slice)
  target.write(bytes.toString('base64'), START.length, 'latin1')
  return target
}

async function writeInSlices(bytes: Buffer, target: Buffer, slice: Slice): Promise<Buffer> {
  let at = START.length
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    at += target.write(bytes.toString('base64', start, start + PIECE_BYTES), at, 'latin1')
    if (slice.isDue) await slice.next()
  }
  return target
}
