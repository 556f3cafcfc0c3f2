import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { findProgram } from '../setup/find-program.ts'
import { runCommand } from '../setup/run-command.ts'
import { failureReason, missingPrograms } from './failure-reason.ts'
import { findNodeHeaders } from './node-headers.ts'
import type { Re2Place } from './re2-place.ts'

/** node-gyp, as the package brings it. */
const NODE_GYP = 'node_modules/node-gyp/bin/node-gyp.js'
const BUILD_TIMEOUT_MS = 3_600_000
/** After the package's own `-O3 -g`: without debugging information it is built in a fraction of the time. */
const FLAGS = '-O2 -g0'

/** Compiles a copy of the package into `place.cached`, one file at a time and after everybody else; undefined or why not. */
export async function buildRe2(
  root: string,
  place: Re2Place,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const path = environment.PATH ?? ''
  const missing = missingPrograms((name) => findProgram(name, path) !== undefined, environment.CXX ?? '')
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`

  // What a build that was ended left is gone on with: make removes the file it was at.
  if (!existsSync(place.build)) cpSync(place.package, place.build, { recursive: true })
  const headers = findNodeHeaders(process.execPath, process.version)
  const args = ['configure', 'build', '--jobs', '1', ...(headers === undefined ? [] : ['--nodedir', headers])]
  const { ok, output } = await runCommand('nice', ['-n', '19', process.execPath, join(root, NODE_GYP), ...args], {
    cwd: place.build,
    environment: {
      ...environment,
      // The package's build asks `node` where nan is: it must be this one.
      PATH: `${dirname(process.execPath)}${delimiter}${path}`,
      CXXFLAGS: `${environment.CXXFLAGS ?? ''} ${FLAGS}`.trim(),
    },
    timeoutMs: BUILD_TIMEOUT_MS,
  })
  writeFileSync(place.log, `${output}\n`)
  if (!ok) {
    rmSync(place.build, { recursive: true, force: true })
    return failureReason(output)
  }

  mkdirSync(dirname(place.cached), { recursive: true })
  renameSync(join(place.build, 'build/Release/re2.node'), place.cached)
  rmSync(place.build, { recursive: true, force: true })
  return undefined
}
