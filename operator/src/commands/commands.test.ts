import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

// Rules: docs/reference/kubernetes.md#commands

const MAIN = join(import.meta.dirname, '../main.ts')
const EXAMPLE = join(import.meta.dirname, '../../../conf/examples/processors/gl_config.json')

function operator(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

test('the commands run without a cluster: render takes the output of import', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'commands-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const imported = operator('import', EXAMPLE, '--name', 'shipped', '--namespace', 'apps')
  assert.equal(imported.status, 0)
  assert.match(imported.stderr, /^fill in: Secret apps\/shipped-variables: /)

  writeFileSync(join(folder, 'all.yaml'), imported.stdout)
  const empty = operator('render', folder)
  assert.equal(empty.status, 2, 'nobody has filled in the variables')
  assert.match(
    empty.stdout,
    /Router +apps +service-capped +EmptyValue +outbound\.url: \$\{AISERVICE_API_BASE\} is empty/,
  )

  const values = 'AISERVICE_API_BASE: https://res.example/\n  AISERVICE_API_KEY: a\n  GATEWAY_API_KEY: b\n'
  writeFileSync(join(folder, 'all.yaml'), imported.stdout.replace(/AISERVICE_API_BASE: ""[\s\S]*$/, values))
  const filled = operator('render', folder)
  assert.equal(filled.status, 2, filled.stdout + filled.stderr)
  const broken = filled.stdout.split('\n').filter((line, index) => index > 0 && !/( Programmed|^)$/.test(line))
  assert.equal(broken.length, 1, 'one Router of the example fails on purpose')
  assert.match(broken[0] ?? '', /Router +apps +pool-dud +HostNotAllowed +outbound\.url: loopback/)
})

test('a long output is printed whole, through a pipe too', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'commands-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const routers = Array.from({ length: 3_000 }, (_, index) => ({
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'Router',
    metadata: { name: `r${index}`, namespace: 'apps' },
    spec: { gatewayRef: { name: 'none' }, path: `/r${index}/`, outbound: { url: 'https://res.example/' } },
  }))
  writeFileSync(join(folder, 'all.json'), JSON.stringify({ kind: 'List', items: routers }))
  const { status, stdout } = operator('render', folder)
  assert.equal(status, 2)
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, 3_001)
  assert.match(
    lines.at(-1) ?? '',
    /^Router +apps +r999 +GatewayNotFound +LLMGateway apps\/none does not exist; gatewayRef names no other namespace\.$/,
  )
})

test('--help prints to stdout', () => {
  const { status, stdout, stderr } = operator('render', '--help')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^usage:\n +operator /)
})

test('a command that fails exits with 1', () => {
  const broken = operator('render', '/nowhere')
  assert.deepEqual(broken, { status: 1, stdout: '', stderr: '/nowhere: no such folder\n' })
  assert.equal(operator('render').status, 1)
  assert.match(operator('import').stderr, /^operator: import needs one file\n/)
})
