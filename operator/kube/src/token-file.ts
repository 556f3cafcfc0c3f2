import { readFile } from 'node:fs/promises'

/** The kubelet replaces a token long before it ends. */
const READ_AGAIN_MS = 10_000

export type TokenFile = {
  /** The Authorization header. While the file can't be read the last one is good: it may be being replaced. */
  authorization(): Promise<string | undefined>
  refused(): void
}

/** A token that somebody replaces in its file while we run. */
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
