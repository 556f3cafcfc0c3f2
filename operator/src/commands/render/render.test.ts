import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { parse, parseAllDocuments } from 'yaml'
import { runRender } from '../run-render.ts'
import { writeRendered } from './write-rendered.ts'

// Rules: docs/reference/kubernetes.md#commands

const API = 'apiVersion: llmgateway.io/v1alpha1\n'
const GATEWAY = `${API}kind: LLMGateway
metadata: { name: main, namespace: llm }
spec: { allowedRouters: { namespaces: { from: Selector, selector: { matchLabels: { llm: "yes" } } } } }
`
const SECRET = 'kind: Secret\napiVersion: v1\nmetadata: { name: keys, namespace: llm }\nstringData: { azure: k3y }\n'

function router(name: string, namespace: string, spec = ''): string {
  return `${API}kind: Router
metadata: { name: ${name}, namespace: ${namespace}, creationTimestamp: null }
spec:
  gatewayRef: { name: main, namespace: llm }
  path: /${namespace}/${name}/
  outbound: { url: "https://res.example/", headers: { Api-Key: ["\${KEY}"] } }
  env: [{ name: KEY, valueFrom: { secretKeyRef: { name: keys, key: azure } } }]
${spec}`
}

const processor = `${API}kind: Processor
metadata: { name: filter, namespace: llm }
spec: { gatewayRef: { name: main }, type: ContentFilter }
`

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Makes a folder of these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'render-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function renderFolder(files: Readonly<Record<string, string>>, values = false) {
  const folder = folderOf(files)
  const output = join(folder, 'out')
  const command = { folder, output, values, image: 'llm-gateway:test' }
  return { ...runRender(command), folder, output, again: () => runRender(command) }
}

const good = {
  'gateway.yaml': GATEWAY,
  'routers/own.yml': `${router('own', 'llm')}---\n${SECRET}---\n`,
  'routers/other.yaml': router('stranger', 'team-b'),
  'processors.json': JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [parse(processor)] }),
}

describe('operator render', () => {
  test('shows the status of each resource as kubectl would once everything runs', () => {
    const { code, stdout, stderr } = renderFolder(good)
    assert.equal(
      stdout,
      [
        'KIND         NAMESPACE   NAME       REASON                MESSAGE',
        'LLMGateway   llm         main       Programmed',
        'Router       llm         own        Programmed',
        'Router       team-b      stranger   NotAllowedByGateway   allowedRouters.namespaces of LLMGateway llm/main does not admit the namespace team-b.',
        'Processor    llm         filter     Programmed',
        '',
      ].join('\n'),
    )
    assert.deepEqual([code, stderr], [2, ''], 'some resource would not work')
  })

  test('a folder that can not be written gives an error message', () => {
    const folder = folderOf(good)
    const output = join(folderOf({ taken: '' }), 'taken')
    const { code, stderr } = runRender({ folder, output, values: false, image: 'llm-gateway:test' })
    assert.deepEqual({ code, stderr }, { code: 1, stderr: `${output}: can not be written (ENOTDIR)\n` })
  })

  test('exits with 0 if every resource would work, and reads the labels of namespaces', () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: team-b, labels: { llm: "yes" } }\n'
    const keys = SECRET.replace('llm', 'team-b')
    const { code, stdout } = renderFolder({ ...good, 'team-b.yaml': `${namespace}---\n${keys}` })
    assert.equal(code, 0, stdout)
  })

  test('writes a file that the gateway accepts, with --values also its values, readable by the owner alone', () => {
    const { output } = renderFolder(good, true)
    const folder = join(output, 'llm/main')
    assert.deepEqual(readdirSync(folder).sort(), ['gl_config.json', 'objects.yaml', 'statuses.yaml', 'values'])
    const names = readdirSync(join(folder, 'values'))
    const secrets = new Map(names.map((name) => [name, readFileSync(join(folder, 'values', name), 'utf8')]))
    const check = checkGlConfig(readFileSync(join(folder, 'gl_config.json')), {
      environment: { NATS_TOKEN: 't' },
      secrets,
    })
    assert.ok(check.kind === 'checked')
    assert.deepEqual(check.config.rejectedFields, {})
    const own = check.config.routers.find(({ path }) => path === '/llm/own/')
    assert.ok(own?.kind === 'active')
    assert.deepEqual(own.outbound.headers[0]?.values, ['k3y'])
    assert.deepEqual(
      check.config.settings.request.processors.map((row) => row.map(({ name, required }) => [name, required])),
      [[['content_filter', true]]],
    )
    for (const name of names) assert.equal(statSync(join(folder, 'values', name)).mode & 0o077, 0, name)
  })

  test('leaves values of Secrets out without --values', () => {
    const { output } = renderFolder(good)
    const written = readdirSync(output, { recursive: true, encoding: 'utf8' })
      .map((file) => join(output, file))
      .filter((file) => statSync(file).isFile())
    assert.ok(written.length >= 3)
    for (const file of written) assert.doesNotMatch(readFileSync(file, 'utf8'), /k3y/, file)
  })

  test('writes statuses as resources, and those without a gateway apart', () => {
    const lost = router('lost', 'llm').replace('name: main', 'name: gone')
    const { output } = renderFolder({ ...good, 'lost.yaml': lost })
    const documents = (file: string) =>
      parseAllDocuments(readFileSync(join(output, file), 'utf8')).map((document) => document.toJS())
    assert.deepEqual(
      documents('llm/main/statuses.yaml').map(({ kind, metadata: { name } }) => `${kind} ${name}`),
      ['LLMGateway main', 'Router own', 'Router stranger', 'Processor filter'],
    )
    const [orphan] = documents('orphans.yaml')
    assert.equal(orphan.metadata.name, 'lost')
    assert.equal(orphan.status.conditions[0].reason, 'GatewayNotFound')
  })

  test('gives the same bytes again, although its output lies in the folder', () => {
    const { output, again, stdout } = renderFolder(good)
    const bytes = () => ['gl_config.json', 'statuses.yaml'].map((file) => readFileSync(join(output, 'llm/main', file)))
    const first = bytes()
    assert.equal(again().stdout, stdout)
    assert.deepEqual(bytes(), first)
  })

  test('reads YAML and JSON files that are not hidden, and names the objects that it ignores', () => {
    const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: other, namespace: llm }\n'
    const { stderr } = renderFolder({ ...good, 'other.yaml': deployment, 'README.md': '# no', '.git/a.yaml': '{' })
    assert.equal(stderr, 'ignored: Deployment llm/other\n')
  })

  test('takes the output of kubectl get: the statuses follow from uid, generation and creationTimestamp', () => {
    const uid = '11111111-1111-1111-1111-111111111111'
    const old = GATEWAY.replace(
      'namespace: llm',
      `namespace: llm, uid: ${uid}, creationTimestamp: 2026-11-21T01:00:00Z, generation: 7`,
    )
    const { output } = renderFolder({ 'gateway.yaml': old })
    const [gateway] = parseAllDocuments(readFileSync(join(output, 'llm/main/statuses.yaml'), 'utf8')).map((document) =>
      document.toJS(),
    )
    assert.deepEqual(
      [
        gateway.status.gatewayId,
        gateway.status.conditions[0].observedGeneration,
        gateway.status.conditions[0].lastTransitionTime,
      ],
      ['OHNLQT7A', 7, '2026-11-21T01:00:00Z'],
    )
  })

  const BROKEN: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    errors: readonly string[],
  ])[] = [
    ['is empty', {}, ['holds no .yaml, .yml or .json file']],
    ['holds no resource of ours', { 'a.yaml': SECRET }, ['holds no LLMGateway, Router or Processor']],
    [
      'holds a file that is not YAML',
      { 'a.yaml': `${GATEWAY}---\na: [secret\n`, 'b.yaml': 'a: 1\na: 2\n', 'c.yaml': GATEWAY },
      ['a.yaml:7:1: not YAML (BAD_INDENT)', 'b.yaml:2:1: not YAML (DUPLICATE_KEY)'],
    ],
    ['holds an object that is no resource', { 'a.yaml': 'a: 1\n' }, ['a.yaml: resource 1 has no kind']],
    [
      'holds an alias bomb',
      {
        'a.yaml': `kind: a\nx: &x [1,1,1,1,1,1,1,1,1,1]\ny: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x,*x]\nz: [*y,*y,*y,*y,*y,*y,*y,*y,*y,*y]\n`,
      },
      ['a.yaml: too many aliases'],
    ],
    [
      'holds unknown fields, or fields of another form',
      {
        'a.yaml': GATEWAY,
        'b.yaml': router('a', 'llm', '  internal: maybe\n  rows: 1\n').replace('/llm/a/', '/llm/a'),
      },
      [
        'b.yaml: Router llm/a: spec.path: Invalid string: must match pattern /^\\/$|^(\\/[A-Za-z0-9_\\-.~]+)+\\/$/',
        'b.yaml: Router llm/a: spec.internal: Invalid input: expected boolean, received string',
        'b.yaml: Router llm/a: unknown field spec.rows',
      ],
    ],
    [
      'holds one resource twice',
      { 'a.yaml': GATEWAY, 'b.yaml': GATEWAY },
      ['b.yaml: LLMGateway llm/main: it is in a.yaml too'],
    ],
    [
      'holds resources of another version, or of no kind of ours',
      { 'a.yaml': GATEWAY.replace('v1alpha1', 'v1'), 'b.yaml': GATEWAY.replace('LLMGateway', 'Route') },
      [
        'a.yaml: LLMGateway llm/main: apiVersion must be llmgateway.io/v1alpha1, not llmgateway.io/v1',
        'b.yaml: Route llm/main: there is no kind Route in llmgateway.io',
      ],
    ],
    [
      'holds invalid names',
      {
        'a.yaml': GATEWAY.replace('main', 'a.b'),
        'b.yaml': GATEWAY.replace('llm }', '../../etc }'),
        'c.yaml': `${API}kind: Router\n`,
      },
      [
        'a.yaml: LLMGateway llm/a.b: metadata.name: must be a DNS label of at most 40 characters that begins with a letter',
        'b.yaml: LLMGateway ../../etc/main: metadata.namespace must be a DNS label',
        'c.yaml: Router (no name): it has no metadata.name',
      ],
    ],
  ]
  for (const [what, files, errors] of BROKEN) {
    test(`refuses a folder that ${what}, and writes nothing`, () => {
      const { code, stdout, stderr, folder, output } = renderFolder(files)
      assert.deepEqual(stderr.replaceAll(`${folder}: `, '').trimEnd().split('\n'), errors)
      assert.deepEqual([code, stdout, existsSync(output)], [1, '', false])
    })
  }

  test('names each field that the gateway would reject, with the reason', () => {
    const dotted = router('dots', 'llm').replace('/llm/dots/', '/llm/../dots/')
    const twice = router('twice', 'llm').replace('headers: {', 'headers: { api-key: [a],')
    const framing = router('framing', 'llm').replace('headers: {', 'headers: { Content-Length: ["1"],')
    const { stdout } = renderFolder({ 'a.yaml': GATEWAY, 'b.yaml': [SECRET, dotted, twice, framing].join('---\n') })
    const rows = stdout
      .split('\n')
      .flatMap((line) => /^Router +llm +(.*)$/.exec(line)?.[1]?.replaceAll(/ +/g, ' ') ?? [])
    const header = 'a header of this name can not be set, or is set twice.'
    assert.deepEqual(rows, [
      'dots InvalidValue path: only letters, digits and _ - . ~ may stand between slashes, and neither . nor .. alone.',
      `framing InvalidValue outbound.headers[Content-Length]: ${header}`,
      `twice InvalidValue outbound.headers[api-key]: ${header}`,
    ])
  })

  test('names links that lead nowhere or in a circle; a folder may have a name that ends in .yaml', () => {
    const folder = folderOf({ 'a.yaml/gateway.yaml': GATEWAY })
    const command = { folder, output: undefined, values: false, image: '' }
    assert.equal(runRender(command).code, 0)
    symlinkSync('self.yaml', join(folder, 'self.yaml'))
    symlinkSync('none', join(folder, 'lost.yaml'))
    symlinkSync('..', join(folder, 'a.yaml/up'))
    const { code, stderr } = runRender(command)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'a.yaml/up: is a link to a folder that it lies in',
      'lost.yaml: can not be read (ENOENT)',
      'self.yaml: can not be read (ELOOP)',
    ])
    assert.equal(code, 1)
  })

  test('refuses a path that is not a folder', () => {
    const { code, stderr } = runRender({ folder: '/nowhere', output: undefined, values: false, image: '' })
    assert.deepEqual([code, stderr], [1, '/nowhere: no such folder\n'])
  })

  test('reads YAML as kubectl does: yes is true, a time is a text', () => {
    const { stdout } = renderFolder({
      'a.yaml': GATEWAY,
      'b.yaml': `${router('a', 'llm', '  internal: yes\n')}---\n${SECRET}`,
    })
    assert.match(stdout, /Router +llm +a +Programmed/)
  })
})

test('a configuration without room in a ConfigMap is not written as an empty file', () => {
  const folder = folderOf({})
  const gateway = { namespace: 'llm', name: 'main', glConfig: '', values: new Map(), objects: [], statuses: [] }
  assert.equal(writeRendered(folder, { gateways: [gateway], orphans: [] }, false), undefined)
  assert.deepEqual(readdirSync(join(folder, 'llm/main')).toSorted(), ['objects.yaml', 'statuses.yaml'])
})
