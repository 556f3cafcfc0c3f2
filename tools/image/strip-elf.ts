const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])
const PROGRAM_HEADER_BYTES = 56
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Removes all bytes after the last segment of a 64-bit little-endian ELF program, including the table of sections,
 * which only debuggers and linkers read. Other files are returned unchanged.
 */
export function stripElf(program: Buffer): Buffer {
  if (!program.subarray(0, MAGIC.length).equals(MAGIC)) return program
  const table = offset(program, 32)
  const count = program.readUInt16LE(56)
  const ends = Array.from({ length: count }, (_, index) => {
    const at = table + index * PROGRAM_HEADER_BYTES
    return offset(program, at + 8) + offset(program, at + 32)
  })
  const end = Math.max(table + count * PROGRAM_HEADER_BYTES, ...ends)
  if (end > program.length) return program
  const stripped = Buffer.from(program.subarray(0, end))
  // e_shoff, e_shnum and e_shstrndx: the table of sections is gone.
  stripped.writeBigUInt64LE(0n, 40)
  stripped.writeUInt16LE(0, 60)
  stripped.writeUInt16LE(0, 62)
  return stripped
}

function offset(program: Buffer, at: number): number {
  const value = program.readBigUInt64LE(at)
  if (value > LARGEST) throw new Error('image: a program with segments beyond its end')
  return Number(value)
}
