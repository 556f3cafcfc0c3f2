import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { busEnvironment, type Environment, isBus } from '@llm-gateway/conf'
import type { Failed } from '../answer.ts'
import { writeOwnText } from './file-text.ts'
import type { KnownFile } from './known-files.ts'
import { notWritable } from './not-writable.ts'

export type Judgement =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad'; readonly message: string }
  | Failed<'NOT_WRITABLE'>

const TIMEOUT_MS = 30_000
const MOST_OUTPUT = 1024 * 1024

/** Asks a file's own program if it would start with a text: runs the validate command on a copy in `folder`. */
export async function judge(
  file: KnownFile,
  text: string,
  { folder, environment }: { readonly folder: string; readonly environment: Environment },
): Promise<Judgement> {
  if (file.judge === undefined) return { kind: 'good' }
  const path = join(folder, `.check-${randomBytes(6).toString('hex')}-${file.name}`)
  try {
    await writeOwnText(path, text)
  } catch (error) {
    return notWritable(error)
  }
  try {
    const { program, args } = file.judge(path)
    // The supervisor gives the bus its secrets quoted.
    const own = isBus(program) ? busEnvironment(environment) : environment
    const code = await exitCode(program, args, own)
    if (code === 0) return { kind: 'good' }
    // The message does not quote the program's output, which may contain secrets of the file.
    const why =
      typeof code === 'number' ? 'says that it would not start with this file' : `could not be asked (${code})`
    return { kind: 'bad', message: `The program of ${file.service} ${why}.` }
  } finally {
    // The next start removes a copy that stays.
    await rm(path, { force: true }).catch(() => undefined)
  }
}

function exitCode(program: string, args: readonly string[], environment: Environment): Promise<number | string> {
  const options = { env: { ...environment }, timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT }
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error) => {
      if (error === null) resolve(0)
      else resolve(error.code ?? (error.killed === true ? 'TIMEOUT' : (error.signal ?? 'UNKNOWN')))
    })
  })
}
