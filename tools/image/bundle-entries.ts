import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLED_LICENCES, BUNDLES } from './contents.ts'
import { type Entry, file } from './entry.ts'

/** The programs that are in the image as one file each, made now. */
export function bundleEntries(root: string): readonly Entry[] {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-bundle-'))
  try {
    const licences = BUNDLED_LICENCES.map((path) => file(`app/${path}`, () => readFileSync(join(root, path))))
    const bundles = BUNDLES.map(({ program, path }) => {
      const out = join(folder, 'bundle.mjs')
      execFileSync(process.execPath, [join(root, program), out])
      const bytes = readFileSync(out)
      return file(`app/${path}`, () => bytes)
    })
    return [...bundles, ...licences]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
