import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLES } from './contents.ts'
import { type Entry, file } from './entry.ts'

/** The programs that are in the image as one file each, made now. */
export function bundleEntries(root: string): readonly Entry[] {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-bundle-'))
  try {
    return BUNDLES.map(({ program, path }) => {
      const out = join(folder, 'bundle.mjs')
      execFileSync(process.execPath, [join(root, program), out])
      const bytes = readFileSync(out)
      return file(`app/${path}`, () => bytes)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
