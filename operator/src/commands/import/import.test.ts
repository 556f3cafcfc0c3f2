import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type ApiServer, startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { firstFalse } from '../render/summary.ts'
import { runImport } from '../run-import.ts'
import { filledIn, renderedFrom, runsAs } from './round-trip-under-test.ts'

// Rules: docs/reference/kubernetes.md#commands, docs/reference/kubernetes.md#variables

const ROOT = join(import.meta.dirname, '../../../..')
const target = { name: 'main', namespace: 'llm' } as const
const environment = {
  AISERVICE_API_BASE: 'https://res.example/',
  AISERVICE_API_KEY: 'key of the API',
  GATEWAY_API_KEY: 'key of callers',
  NATS_TOKEN: 'token',
}

const FILL_IN = 'fill in: Secret llm/main-variables: AISERVICE_API_BASE, AISERVICE_API_KEY, GATEWAY_API_KEY'
const settingsOf = (type: string, file: string) => `${type}: copy its settings from its own file, ${file}_config.json`

const NEVER_CALLED = 'outbound.url: loopback, link-local and metadata addresses are never called'
const ONLY_HELD = 'it only holds its path, its callers get 404'

/** `dud`: a Router that doesn't work, and the paths that a gateway in a cluster only holds because of it. */
type Dud = { readonly router: string; readonly paths: readonly string[] }
const SHIPPED: readonly (readonly [file: string, notes: readonly string[], dud?: Dud])[] = [
  ['conf/gl_config.json', [FILL_IN, settingsOf('TokenCounter', 'tokencounter')]],
  [
    'conf/examples/processors/gl_config.json',
    [
      FILL_IN,
      settingsOf('ContentFilter', 'contentfilter'),
      settingsOf('Mock', 'mock'),
      settingsOf('TokenCounter', 'tokencounter'),
      settingsOf('Broker', 'broker'),
      settingsOf('Tokenizer', 'tokenizer'),
      settingsOf('NlpEntities', 'nlpentities'),
      settingsOf('Regex', 'regex'),
      `not expressed: router /pool/dud/: ${ONLY_HELD} (${NEVER_CALLED})`,
      `not expressed: router /mock/pool/dud/: ${ONLY_HELD}`,
    ],
    { router: 'pool-dud', paths: ['/pool/dud/', '/mock/pool/dud/'] },
  ],
]

for (const [file, notes, dud] of SHIPPED) {
  test(`${file} is imported, and its resources are rendered back to the same gateway`, () => {
    const { code, stdout, stderr } = runImport({ ...target, file: join(ROOT, file) })
    assert.deepEqual([code, stderr.trimEnd().split('\n')], [0, notes])
    const { glConfig, values, statuses } = renderedFrom(filledIn(stdout, environment))
    const was = runsAs(readFileSync(join(ROOT, file), 'utf8'), { environment })
    const held = Object.fromEntries((dud?.paths ?? []).map((path) => [path, 'disabled']))
    assert.deepEqual(runsAs(glConfig, { environment: { NATS_TOKEN: 'token' }, secrets: values }), {
      ...was,
      routers: { ...was.routers, ...held },
    })
    const failing = statuses.filter((document) => firstFalse(document) !== undefined)
    assert.deepEqual(
      failing.map((document) => [document.metadata.name, firstFalse(document)?.reason]),
      dud === undefined ? [] : [[dud.router, 'HostNotAllowed']],
    )
  })

  test(`the output of importing ${file} equals its golden file`, () => {
    const { stdout } = runImport({ ...target, file: join(ROOT, file) })
    const golden = join(import.meta.dirname, '../testdata', `${file.replaceAll('/', '-').replace('.json', '')}.yaml`)
    assert.equal(stdout, readFileSync(golden, 'utf8'))
  })
}

test('settings that no resource can hold are named, and no others', () => {
  const file = join(import.meta.dirname, '../testdata/not-expressed.json')
  const { code, stderr } = runImport({ ...target, file })
  assert.equal(code, 0)
  assert.equal(stderr, readFileSync(join(import.meta.dirname, '../testdata/not-expressed.txt'), 'utf8'))
})

const BROKEN: readonly (readonly [what: string, text: string, error: string])[] = [
  ['is no JSON', '{"routers": [}', 'gl_config: json: line 1, column 14'],
  ['is no object', '[]', 'gl_config: type:object'],
  ['no gateway would take', '{"gateway_id": "short"}', 'gl_config.gateway_id: gateway_id:'],
  ['has a number that only a cluster knows', '{"gl_port": "${PORT}"}', 'gl_config.gl_port: type:number'],
]
describe('a file that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'gl_config.json')

  for (const [what, text, error] of BROKEN) {
    test(`${what} is refused in the gateway's own words`, () => {
      writeFileSync(file, text)
      assert.deepEqual(runImport({ ...target, file }), { code: 1, stdout: '', stderr: `${file}: ${error}\n` })
    })
  }

  test('is not text is refused with an error message', () => {
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x80]))
    assert.deepEqual(runImport({ ...target, file }), {
      code: 1,
      stdout: '',
      stderr: `${file}: gl_config: json: the file is not UTF-8 text\n`,
    })
  })

  test('has an entry without a path gets a note', () => {
    writeFileSync(file, '{"routers": [{"outbound": {"url": "https://res.example"}}]}')
    assert.match(runImport({ ...target, file }).stderr, /^left out: router \(no path\): it has no path$/m)
  })

  test('holds a key in plain text is imported with a note that names the place', () => {
    const headers = {
      Authorization: ['Bearer planted'],
      'Api-Key': ['${KEY}'],
      Cookie: ['Bearer ${KEY}'],
      'X-A': ['a'],
    }
    writeFileSync(
      file,
      JSON.stringify({ routers: [{ path: '/a/', outbound: { url: 'https://res.example', headers } }] }),
    )
    const { stderr } = runImport({ ...target, file })
    assert.match(
      stderr,
      /^Router a: outbound\.headers\[Authorization\] holds a key in plain text: put it into a Secret/m,
    )
    assert.doesNotMatch(stderr, /planted/)
  })

  test('is not there is refused', () => {
    const missing = join(folder, 'none.json')
    assert.deepEqual(runImport({ ...target, file: missing }), {
      code: 1,
      stdout: '',
      stderr: `${missing}: can not be read\n`,
    })
  })

  test('is compressed is read without unpacking it first', () => {
    const plain = readFileSync(join(ROOT, 'conf/gl_config.json'))
    writeFileSync(file, gzipSync(plain))
    assert.equal(
      runImport({ ...target, file }).stdout,
      runImport({ ...target, file: join(ROOT, 'conf/gl_config.json') }).stdout,
    )
  })
})

describe('imported resources', { skip: whyNoApiServer(process.env) }, () => {
  let server: ApiServer
  before(async () => {
    server = await startApiServer()
    await kubectl(['apply', '-f', join(ROOT, 'crds/manifests')])
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all'])
    await kubectl(['create', 'namespace', 'llm'])
  })
  after(() => server?.close())

  async function kubectl(args: readonly string[], input?: string): Promise<void> {
    const { code, stderr } = await server.kubectl(args, input)
    assert.equal(code, 0, stderr)
  }

  for (const file of [...SHIPPED.map(([file]) => file), 'operator/src/commands/testdata/not-expressed.json']) {
    test(`from ${file} is taken under strict validation, every rule included`, async () => {
      const { stdout } = runImport({ ...target, file: join(ROOT, file) })
      await kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], stdout)
    })
  }
})
