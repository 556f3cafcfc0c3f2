import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { chromiumProgram } from '../../tools/chromium/chromium.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Debian's Chromium; a text says why there is none. */
export async function startBrowser(environment: NodeJS.ProcessEnv): Promise<string | Browser> {
  const program = await chromiumProgram(ROOT, environment)
  if (typeof program === 'string') return program
  const env = Object.fromEntries(Object.entries(program.environment).filter(([, value]) => value !== undefined))
  // The pages are ours: a sandbox, which root can't have, would protect nobody.
  return await chromium.launch({ executablePath: program.file, env, args: ['--no-sandbox', '--disable-gpu'] })
}
