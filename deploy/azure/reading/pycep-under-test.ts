import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A file as pycep parses it: its statements by name. */
export type PycepFile = {
  readonly parameters: Readonly<Record<string, { readonly type: string; readonly decorators: readonly Decorator[] }>>
  readonly resources: Readonly<Record<string, PycepResource>>
  readonly outputs: Readonly<Record<string, { readonly type: string }>>
}
type Decorator = { readonly type: string }
export type PycepResource = {
  readonly type: string
  readonly api_version: string
  readonly existing: boolean
  readonly config: Readonly<Record<string, unknown>>
}

const FOLDER = join(import.meta.dirname, '../../../.tools/pycep')
const PYTHON = join(FOLDER, 'bin/python')
const PROGRAM = `import json, pathlib, sys
from pycep import BicepParser
print(json.dumps(BicepParser().parse(file_path=pathlib.Path(sys.argv[1]))))`
/** The preparation downloads packages. */
const PREPARE_MS = 300_000
const run = promisify(execFile)

/** Installs pycep into a virtual environment of the checkout; returns the reason when that fails, else false. */
export async function whyNoPycep(): Promise<string | false> {
  const options = { timeout: PREPARE_MS }
  const requirements = join(import.meta.dirname, 'requirements.txt')
  const wanted = readFileSync(requirements, 'utf8')
  const installed = join(FOLDER, 'installed.txt')
  try {
    if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return false
    await run('python3', ['-m', 'venv', FOLDER], options)
    await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements], options)
    writeFileSync(installed, wanted)
    return false
  } catch (error) {
    if (process.env.CI === 'true') throw error
    return `pycep can not be had: ${error instanceof Error ? error.message : error}`
  }
}

/** Parses a file with pycep; rejects when pycep can't. */
export async function readWithPycep(file: string): Promise<PycepFile> {
  const { stdout } = await run(PYTHON, ['-c', PROGRAM, file], { timeout: PREPARE_MS, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout)
}
