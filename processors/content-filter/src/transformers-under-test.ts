import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const VERSION = '4.3.1'
const PLACE = join(import.meta.dirname, '../../../.tools/transformers')
const INSTALL_MS = 600_000
const run = promisify(execFile)

export type Installed = { readonly directory: string } | { readonly reason: string }

/**
 * Installs @huggingface/transformers once (470 MB, including other platforms' runtimes); returns its folder or the
 * reason.
 */
export async function installedTransformers(): Promise<Installed> {
  const directory = join(PLACE, VERSION)
  const isInstalled = () => existsSync(join(directory, 'node_modules/@huggingface/transformers/package.json'))
  if (isInstalled()) return { directory }
  const building = `${directory}.${process.pid}`
  try {
    await mkdir(building, { recursive: true })
    await writeFile(join(building, 'package.json'), '{"private":true}')
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', building]
    await run('npm', [...args, `@huggingface/transformers@${VERSION}`], { timeout: INSTALL_MS, cwd: building })
    await rename(building, directory)
    return { directory }
  } catch (error) {
    // Two tests may install the package at the same time; the first folder stays.
    if (isInstalled()) return { directory }
    return {
      reason:
        error instanceof Error && 'code' in error ? `npm install failed: ${String(error.code)}` : 'npm install failed',
    }
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}
