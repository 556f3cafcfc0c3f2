import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { chromiumProgram } from '../../tools/chromium/chromium.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Starts Debian's Chromium; returns a text with the reason if there is none. */
export async function startBrowser(environment: NodeJS.ProcessEnv): Promise<string | Browser> {
  const program = await chromiumProgram(ROOT, environment)
  if (typeof program === 'string') return program
  const env = Object.fromEntries(Object.entries(program.environment).filter(([, value]) => value !== undefined))
  // Root can't have a sandbox, and the pages are our own.
  return await chromium.launch({ executablePath: program.file, env, args: ['--no-sandbox', '--disable-gpu'] })
}
