import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { findProgram } from '../setup/find-program.ts'
import { runCommand } from '../setup/run-command.ts'
import { failureReason, missingPrograms } from './failure-reason.ts'
import type { Re2Paths } from './re2-paths.ts'

/** The package's own node-gyp. */
const NODE_GYP = 'node_modules/node-gyp/bin/node-gyp.js'
const BUILD_TIMEOUT_MS = 3_600_000
/** Appended to the package's own `-O3 -g`: without debugging information the build takes a fraction of the time. */
const FLAGS = '-O2 -g0'
const SPACE = /\s/

/**
 * Compiles a copy of the package into `paths.cached`, one file at a time and at the lowest priority; returns the reason
 * when that failed.
 */
export async function buildRe2(
  root: string,
  paths: Re2Paths,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const path = environment.PATH ?? ''
  const missing = missingPrograms((name) => findProgram(name, path) !== undefined, environment.CXX ?? '')
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`

  const headers = plainPath(findNodeHeaders(process.execPath, process.version))
  if (headers.kind === 'none') return 'the paths of Node and of the temporary folder contain spaces'
  // An interrupted build is continued; make removes the file that was being written.
  if (!existsSync(paths.build)) cpSync(paths.package, paths.build, { recursive: true })
  const nodedir = headers.path === undefined ? [] : ['--nodedir', headers.path]
  const args = ['configure', 'build', '--jobs', '1', ...nodedir]
  const { ok, output } = await runCommand('nice', ['-n', '19', process.execPath, join(root, NODE_GYP), ...args], {
    cwd: paths.build,
    environment: {
      ...environment,
      // The package's build runs `node` to find nan, and it must be this Node.
      PATH: `${dirname(process.execPath)}${delimiter}${path}`,
      CXXFLAGS: `${environment.CXXFLAGS ?? ''} ${FLAGS}`.trim(),
    },
    timeoutMs: BUILD_TIMEOUT_MS,
  })
  headers.remove()
  writeFileSync(paths.log, `${output}\n`)
  if (!ok) {
    rmSync(paths.build, { recursive: true, force: true })
    return failureReason(output)
  }

  mkdirSync(dirname(paths.cached), { recursive: true })
  renameSync(join(paths.build, 'build/Release/re2.node'), paths.cached)
  rmSync(paths.build, { recursive: true, force: true })
  return undefined
}

type PlainPath =
  | { readonly kind: 'found'; readonly path: string | undefined; readonly remove: () => void }
  | { readonly kind: 'none' }

/**
 * Returns a path without spaces to the folder of headers, a link in a temporary folder where necessary: make takes a
 * path with spaces for several. The build's own folder may have spaces, since make works in it by relative paths.
 */
function plainPath(headers: string | undefined): PlainPath {
  if (headers === undefined || !SPACE.test(headers)) return { kind: 'found', path: headers, remove: () => undefined }
  if (SPACE.test(tmpdir())) return { kind: 'none' }
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-headers-'))
  const path = join(folder, 'node')
  symlinkSync(headers, path)
  return { kind: 'found', path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Returns the folder with `include/node` of exactly this Node, for node-gyp's `nodedir`; undefined when node-gyp must
 * download the headers. Node's npm packages, archives and images contain the headers.
 */
export function findNodeHeaders(executable: string, version: string): string | undefined {
  const folder = dirname(dirname(realpathSync(executable)))
  return headersVersion(folder) === version.replace(/^v/, '') && isComplete(folder) ? folder : undefined
}

function isComplete(folder: string): boolean {
  return ['node.h', 'v8.h', 'common.gypi', 'config.gypi'].every((name) =>
    existsSync(join(folder, 'include/node', name)),
  )
}

function headersVersion(folder: string): string | undefined {
  const file = join(folder, 'include/node/node_version.h')
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const part = (name: string) => new RegExp(`^#define NODE_${name}_VERSION (\\d+)`, 'm').exec(text)?.[1]
  return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.')
}
