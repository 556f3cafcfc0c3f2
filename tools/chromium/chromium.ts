import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ensureDebianPrograms } from '../cluster/debian-programs.ts'
import { runCommand } from '../setup/run-command.ts'

const PROGRAM = 'usr/lib/chromium/chromium'
const PICTURE_MS = 120_000

export type Picture = {
  /** An HTML file. */
  readonly page: string
  /** A PNG file. */
  readonly picture: string
  /** The size of the picture in pixels. */
  readonly width: number
  readonly height: number
}

export type ChromiumProgram = { readonly file: string; readonly environment: NodeJS.ProcessEnv }

/** Unpacks Debian's Chromium into `.tools/chromium` (400 MB); returns the reason, as a text, when that fails. */
export async function chromiumProgram(root: string, environment: NodeJS.ProcessEnv): Promise<string | ChromiumProgram> {
  const folder = join(root, '.tools/chromium')
  const packages = ['chromium', 'fonts-dejavu-core']
  const reason = await ensureDebianPrograms({ folder, packages, programs: [PROGRAM], environment })
  if (reason !== undefined) return reason
  const libraries = globSync('usr/lib/*-linux-gnu{,/pulseaudio}', { cwd: folder }).map((name) => join(folder, name))
  return {
    file: join(folder, PROGRAM),
    environment: { ...environment, LD_LIBRARY_PATH: libraries.join(delimiter) },
  }
}

/**
 * Makes a function that takes pictures of HTML files with Debian's Chromium; returns the reason, as a text, when there
 * is none.
 */
export async function chromium(
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | ((picture: Picture) => Promise<void>)> {
  const program = await chromiumProgram(root, environment)
  if (typeof program === 'string') return program
  return async ({ page, picture, width, height }) => {
    const size = [`--screenshot=${picture}`, `--window-size=${width},${height}`, '--hide-scrollbars']
    // The pages are our own and load nothing, so they need no sandbox, which root can't have.
    const args = ['--headless', '--no-sandbox', '--disable-gpu', ...size, `file://${page}`]
    const own = { environment: program.environment, timeoutMs: PICTURE_MS }
    const { ok, output } = await runCommand(program.file, args, own)
    if (!ok) throw new Error(`chromium: ${output.slice(-500)}`)
  }
}
