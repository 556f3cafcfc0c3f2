import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOperatorCommand } from './command-line.ts'

const run = {
  kind: 'run',
  kubeconfig: undefined,
  image: 'llm-gateway:1.2.3',
  gatewayClass: 'default',
  port: 8080,
  leaderElect: true,
  watchNamespaces: [],
  leaseName: undefined,
  podLabels: {},
  webReadRole: undefined,
} as const
const render = { kind: 'render', folder: 'here', output: undefined, values: false, image: 'llm-gateway:1.2.3' } as const

const COMMANDS: readonly (readonly [line: string, command: object])[] = [
  ['', run],
  [
    '--kubeconfig a --image b:1 --class c --port 1 --leader-elect=false --watch-namespaces a,b',
    {
      ...run,
      kubeconfig: 'a',
      image: 'b:1',
      gatewayClass: 'c',
      port: 1,
      leaderElect: false,
      watchNamespaces: ['a', 'b'],
    },
  ],
  [
    '--lease-name our-release --pod-labels app.kubernetes.io/name=a,b=',
    { ...run, leaseName: 'our-release', podLabels: { 'app.kubernetes.io/name': 'a', b: '' } },
  ],
  ['--web-read-role Role/gw-web-read.llm', { ...run, webReadRole: { kind: 'Role', name: 'gw-web-read.llm' } }],
  ['--version', { kind: 'version' }],
  ['render here', render],
  ['render here --output there --values --image b:1', { ...render, output: 'there', values: true, image: 'b:1' }],
  ['crds apply', { kind: 'crds apply', kubeconfig: undefined }],
  ['crds apply --kubeconfig a', { kind: 'crds apply', kubeconfig: 'a' }],
  ['import gl_config.json', { kind: 'import', file: 'gl_config.json', name: 'main', namespace: 'llm' }],
  ['import a --name b --namespace c', { kind: 'import', file: 'a', name: 'b', namespace: 'c' }],
]
for (const [line, command] of COMMANDS) {
  test(`"${line}" is understood`, () => {
    assert.deepEqual(parseOperatorCommand(line.split(' ').filter(Boolean), '1.2.3'), command)
  })
}

const OPTIONS = [
  'kubeconfig',
  'image',
  'class',
  'port',
  'leader-elect',
  'watch-namespaces',
  'lease-name',
  'pod-labels',
  'web-read-role',
  'output',
  'values',
  'name',
  'namespace',
  'version',
  'help',
]

const MISTAKES: readonly (readonly [line: string, part: string])[] = [
  ['run', "'run'"],
  ['--port x', '--port: x is no port'],
  ['--port 65536', '--port: 65536 is no port'],
  ['--class A.b', '--class: A.b'],
  ['--leader-elect=maybe', '--leader-elect: maybe'],
  ['--unknown', '--unknown'],
  ['--lease-name A_b', '--lease-name or LEASE_NAME: A_b'],
  ['--pod-labels a', '--pod-labels or POD_LABELS'],
  ['--pod-labels a=b=c', '--pod-labels or POD_LABELS'],
  ['--pod-labels a=b,/c=d', '--pod-labels or POD_LABELS'],
  ['--web-read-role cluster-admin', '--web-read-role or WEB_READ_ROLE: cluster-admin'],
  ['--web-read-role User/admin', '--web-read-role or WEB_READ_ROLE: User/admin'],
  ['--web-read-role ClusterRole/a/b', '--web-read-role or WEB_READ_ROLE: ClusterRole/a/b'],
  ['render', 'render needs one folder'],
  ['render a b', 'render needs one folder'],
  ['render a --values', '--values needs --output'],
  ['import', 'import needs one file'],
  ['import a b', 'import needs one file'],
  ['crds', 'crds needs the word apply'],
  ['crds delete', 'crds needs the word apply'],
  ['crds apply all', 'crds needs the word apply'],
  ['crds apply --force', '--force'],
  ['import a --name 1a', '--name: 1a'],
  ['import a --namespace a.b', '--namespace: a.b'],
]
for (const [line, part] of MISTAKES) {
  test(`"${line}" is refused, and the message names the mistake`, () => {
    const command = parseOperatorCommand(line.split(' '), '1.2.3')
    assert.ok(command.kind === 'usage')
    const [fault = '', hint] = command.message.split('\n')
    assert.ok(fault.startsWith('operator: ') && fault.includes(part), fault)
    assert.equal(hint, 'operator --help lists the commands and options')
  })
}

for (const line of ['--help', '-h', 'help', 'help render', 'render --help', 'render here -h', 'import --help']) {
  test(`"${line}" gets help, with a line for each option`, () => {
    const command = parseOperatorCommand(line.split(' '), '1.2.3')
    assert.ok(command.kind === 'help')
    for (const option of OPTIONS)
      assert.match(command.message, new RegExp(`^ +(operator )?--${option}[ =]`, 'm'), option)
  })
}

test('WATCH_NAMESPACES names the namespaces where the command line does not', () => {
  const namespaces = (line: string) => {
    const command = parseOperatorCommand(line.split(' ').filter(Boolean), '1.2.3', { WATCH_NAMESPACES: ' a, b,' })
    return command.kind === 'run' ? command.watchNamespaces : undefined
  }
  assert.deepEqual(namespaces(''), ['a', 'b'])
  assert.deepEqual(namespaces('--watch-namespaces c'), ['c'])
})

test('LEASE_NAME and POD_LABELS stand in for missing options; empty variables do not', () => {
  const environment = { LEASE_NAME: 'a', POD_LABELS: 'b=c' }
  const parsed = (argv: readonly string[], env: object) => parseOperatorCommand(argv, '1.2.3', env)
  assert.deepEqual(parsed([], environment), { ...run, leaseName: 'a', podLabels: { b: 'c' } })
  const named = parsed(['--lease-name', 'd', '--pod-labels', 'e=f'], environment)
  assert.deepEqual(named, { ...run, leaseName: 'd', podLabels: { e: 'f' } })
  assert.deepEqual(parsed([], { LEASE_NAME: '', POD_LABELS: '' }), run)
})
