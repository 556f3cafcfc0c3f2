import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { whyNoHelm } from '../helm/helm.ts'
import { artefactsOf } from './account/checksums.ts'
import { cloneUnderTest } from './clone-under-test.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '7.8.9-rc.1'
/** Only root may become another user. */
const OTHER_USER = process.getuid?.() === 0 ? 65_534 : undefined
/** Every Node program of the second release takes it to be 400 days later. */
const LATER_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const D=Date,s=400*864e5;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+s)}static now(){return D.now()+s}}',
)}`
/** The gigabytes of packages that its parts need come from the links in the clone. */
const TIMEOUT_MS = 600_000

type Maker = {
  readonly folder: string
  readonly umask: string
  readonly environment: NodeJS.ProcessEnv
  readonly uid?: number
}

suite('two releases of one commit', { skip: whyNoHelm(ROOT) ?? false, timeout: TIMEOUT_MS }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'release-test-'))
  const one = join(scratch, 'one')
  const other = join(scratch, 'another place', 'of a longer name')
  const home = join(scratch, 'home')
  before(async () => {
    chmodSync(scratch, 0o755)
    mkdirSync(home)
    cloneUnderTest(ROOT, one)
    cloneUnderTest(ROOT, other, OTHER_USER)
    if (OTHER_USER !== undefined) chownSync(home, OTHER_USER, OTHER_USER)
    const inherited = process.env
    await release({ folder: one, umask: '022', environment: { ...inherited, TZ: 'UTC' } })
    const foreign = { TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8', HOME: home, NODE_OPTIONS: `--import ${LATER_CLOCK}` }
    const user = OTHER_USER === undefined ? {} : { uid: OTHER_USER }
    await release({ folder: other, umask: '077', environment: { ...inherited, ...foreign }, ...user })
  })
  after(() => rmSync(scratch, { recursive: true, force: true }))

  test('have the same files with the same digests, from clones that differ in path, user, umask, zone and clock', async () => {
    const [first, second] = [await artefactsOf(out(one)), await artefactsOf(out(other))]
    assert.ok(first.length > 0)
    assert.deepEqual(first, second)
  })

  test('have checksums of every other file', async () => {
    const lines = (await artefactsOf(out(one))).map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    assert.equal(readFileSync(join(out(one), 'SHA256SUMS'), 'utf8'), lines.join(''))
  })
})

/** As people call it. The clones' `.tools` and packages are there: `setup` has nothing to do. */
async function release({ folder, umask, environment, ...user }: Maker): Promise<void> {
  const make = ['-c', `umask ${umask} && exec make release VERSION=${VERSION} WITHOUT=image`]
  // What of the test runner's own environment would reach make: how it was called, and that a test runs.
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, NODE_TEST_CONTEXT: _context, ...env } = environment
  await promisify(execFile)('/bin/sh', make, { cwd: folder, env, ...user, timeout: TIMEOUT_MS })
}

function out(folder: string): string {
  return join(folder, '.release', VERSION)
}
