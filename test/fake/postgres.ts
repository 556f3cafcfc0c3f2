import { execFile, spawnSync } from 'node:child_process'
import { chownSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { startProgram, waitForLine } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type Postgres = {
  readonly port: number
  readonly host: string
  /** Returns the rows of a query, with columns separated by `|`. */
  query(sql: string): readonly string[]
  stop(): Promise<void>
  /** Kills only the main process; the others notice and end. */
  kill(): Promise<void>
  /** Starts the server again after `stop` or `kill`. */
  start(): Promise<void>
}

/** PostgreSQL refuses to run as root, so it runs as nobody. */
const NOBODY_USER_ID = 65_534
const START_MS = 60_000
const MOST_OUTPUT = 256 * 1024 * 1024
const FOLDERS = ['/usr/lib/postgresql/15/bin', '/usr/local/bin']

/**
 * Starts a PostgreSQL that ends with the test, found in the PATH `searched`. Returns the reason if there is none
 * (Debian: postgresql).
 */
export async function startPostgres(t: TestContext, searched = ''): Promise<Postgres | string> {
  const path = [searched, ...FOLDERS].join(delimiter)
  const environment = { PATH: path, HOME: '/tmp', LC_ALL: 'C' }
  if (spawnSync('initdb', ['--version'], { env: environment }).error !== undefined)
    return 'no PostgreSQL on this machine'
  const identity = process.getuid?.() === 0 ? { uid: NOBODY_USER_ID, gid: NOBODY_USER_ID } : {}
  const { path: folder } = await temporaryFolder()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  if (identity.uid !== undefined) chownSync(folder, NOBODY_USER_ID, NOBODY_USER_ID)
  const store = join(folder, 'store')
  const initialized = await initialize(store, { env: environment, ...identity })
  if (initialized !== undefined) return initialized
  const port = await freePort()
  // `startProgram` can't change the user, so setpriv does.
  const server = ['postgres', '-D', store, '-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off']
  const drop =
    identity.uid === undefined
      ? []
      : ['setpriv', `--reuid=${NOBODY_USER_ID}`, `--regid=${NOBODY_USER_ID}`, '--clear-groups']
  const [command = '', ...args] = [...drop, ...server]
  const run = async () => {
    const program = await startProgram({ command, args, environment })
    await waitForLine(program, /database system is ready/)
    return program
  }
  let program = await run()
  t.after(() => program.stop())
  const query = (sql: string): readonly string[] => {
    const asked = ['-h', '127.0.0.1', '-p', String(port), '-U', 'tester', '-d', 'postgres', '-Atc', sql]
    const { stdout, stderr, status } = spawnSync('psql', asked, { env: environment, maxBuffer: MOST_OUTPUT })
    if (status !== 0) throw new Error(String(stderr))
    return String(stdout).split('\n').filter(Boolean)
  }
  return {
    port,
    host: '127.0.0.1',
    query,
    stop: async () => {
      program.kill('SIGINT')
      await program.exited
    },
    kill: async () => {
      program.kill('SIGKILL')
      await program.exited
    },
    start: async () => {
      const end = performance.now() + START_MS
      for (;;) {
        try {
          program = await run()
          return
        } catch (error) {
          // Processes of the killed server may still hold its memory.
          if (performance.now() > end) throw error
          await sleep(100)
        }
      }
    },
  }
}

/**
 * Creates a database cluster; undefined on success. The process is not blocked in these seconds, since its callers and
 * publishers are timed.
 */
function initialize(store: string, place: object): Promise<string | undefined> {
  const args = ['-D', store, '-U', 'tester', '-A', 'trust', '--no-sync', '-E', 'UTF8']
  return new Promise((resolve) => {
    execFile('initdb', args, place, (error, _, stderr) => resolve(error === null ? undefined : `initdb: ${stderr}`))
  })
}

/** Repeats a query until it returns the expected rows, for a minute at most. */
export async function untilRows(postgres: Postgres, sql: string, expected: string): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const rows = postgres.query(sql).join('\n')
    if (rows === expected) return
    if (performance.now() > end) throw new Error(`${sql} gives ${rows}, not ${expected}`)
    await sleep(100)
  }
}
