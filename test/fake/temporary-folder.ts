import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is removed when its user disposes of it. */
export type TemporaryFolder = {
  readonly path: string
  /** Returns the sorted names of the files that match. */
  files(matching: RegExp): Promise<readonly string[]>
} & AsyncDisposable

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'llm-gateway-folder-'))
  return {
    path,
    files: async (matching) => (await readdir(path)).filter((name) => matching.test(name)).sort(),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
