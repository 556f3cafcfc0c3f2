import { readFile } from 'node:fs/promises'

/** The file is read again after this time. The kubelet replaces a token long before it expires. */
const READ_AGAIN_MS = 10_000

export type TokenFile = {
  /**
   * Returns the Authorization header. While the file can't be read, as during its replacement, the last header stays in
   * use.
   */
  authorization(): Promise<string | undefined>
  /** Drops the token that the server refused: the next call reads the file again. */
  refused(): void
}

/** Reads a token from a file whose content is replaced from time to time. */
export function tokenFile(file: string, clock: () => number = () => performance.now()): TokenFile {
  let header: string | undefined
  let until = Number.NEGATIVE_INFINITY
  return {
    authorization: async () => {
      if (clock() < until) return header
      const token = await readFile(file, 'utf8').catch(() => '')
      if (token.trim() !== '') header = `Bearer ${token.trim()}`
      until = clock() + READ_AGAIN_MS
      return header
    },
    refused: () => {
      until = Number.NEGATIVE_INFINITY
    },
  }
}
