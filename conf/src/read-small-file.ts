import { readRegularFile } from './read-regular-file.ts'

/** A larger file isn't a certificate or a key; a list of all public authorities has a quarter of it. */
const LARGEST_BYTES = 1024 * 1024

/** The path names something else than a readable small file; the codes are those of log lines and checks. */
class SmallFileError extends Error {
  readonly code: 'EISDIR' | 'FILE_NOT_READABLE' | 'FILE_TOO_LARGE'
  constructor(code: SmallFileError['code']) {
    super(code)
    this.code = code
  }
}

/**
 * Reads a certificate, a key or another file of at most 1 MiB that a setting names; rejects with an error with a
 * `code`: the system's (ENOENT, EACCES), or EISDIR, FILE_NOT_READABLE or FILE_TOO_LARGE.
 */
export async function readSmallFile(path: string): Promise<Buffer> {
  const reading = await readRegularFile(path, { limitBytes: LARGEST_BYTES })
  if (reading.kind === 'read') return reading.bytes
  if (reading.kind === 'too large') throw new SmallFileError('FILE_TOO_LARGE')
  throw new SmallFileError(reading.isFolder ? 'EISDIR' : 'FILE_NOT_READABLE')
}
