import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readAuditLog } from '../fake/audit-log.ts'
import { CHART, type ChartScene, ROOT, startChartScene, whyNoChartScene } from './chart-scene.ts'

const SYSTEM = 'platform-llm'
const NAMED = ['gw', CHART, '-n', SYSTEM]
const ROUTERS = 'routers.llmgateway.io'
const VERSION = 'llmgateway.io/version'

describe('the Job that applies the CRDs before install, upgrade and rollback', {
  skip: whyNoChartScene(process.env),
}, () => {
  let scene: ChartScene
  before(async () => {
    scene = await startChartScene()
    await scene.kubectl(['create', 'namespace', SYSTEM])
    await scene.kubectl(['label', 'namespace', SYSTEM, 'pod-security.kubernetes.io/enforce=restricted'])
  })
  after(() => scene?.close())

  const versionOf = async (crd: string): Promise<string | undefined> =>
    JSON.parse(await scene.kubectl(['get', 'crd', crd, '-o', 'json'])).metadata.annotations?.[VERSION]
  /** Returns the last manager that applied a CRD. */
  const managerOf = async (crd: string): Promise<string> => {
    const { metadata } = JSON.parse(await scene.kubectl(['get', 'crd', crd, '-o', 'json', '--show-managed-fields']))
    const applied = metadata.managedFields.filter(({ operation }: { operation: string }) => operation === 'Apply')
    return applied.at(-1)?.manager
  }
  const namesLeft = async (): Promise<readonly string[]> => {
    const found = await scene.kubectl([
      'get',
      'jobs,serviceaccounts,clusterroles,clusterrolebindings',
      '-A',
      '-o',
      'name',
    ])
    return found.split('\n').filter((name) => /gw.*-crds/.test(name))
  }

  test('an install without the folder crds/ gets the CRDs from the Job, whose account is deleted afterwards', async () => {
    await scene.helm(['install', ...NAMED, '--skip-crds', '--timeout', '90s'])
    assert.deepEqual(
      scene.jobs.map(({ code, output }) => [code, output.match(/made/g)?.length]),
      [[0, 3]],
    )
    assert.deepEqual(await namesLeft(), [])
    const account = `system:serviceaccount:${SYSTEM}:gw-llm-gateway-crds`
    const calls = readAuditLog(scene.server.auditLog).filter((line) => line.includes(`"username":"${account}"`))
    assert.ok(calls.length >= 9)
    assert.deepEqual(
      calls.filter((line) => line.includes('"code":403')),
      [],
    )
  })

  test('an upgrade updates an older CRD, leaves a newer CRD unchanged and names it in its log', async () => {
    const current = await versionOf(ROUTERS)
    await scene.kubectl(['annotate', 'crd', ROUTERS, '--overwrite', `${VERSION}=0.0.1`])
    await scene.kubectl(['annotate', 'crd', 'processors.llmgateway.io', '--overwrite', `${VERSION}=9.0.0`])
    await scene.helm(['upgrade', ...NAMED, '--timeout', '90s'])
    const { code, output } = scene.jobs.at(-1) ?? {}
    assert.equal(code, 0)
    assert.match(output ?? '', new RegExp(`^${ROUTERS}: applied, 0.0.1 -> ${current}`, 'm'))
    assert.match(output ?? '', /^processors.llmgateway.io: .*newer/m)
    assert.deepEqual([await versionOf(ROUTERS), await versionOf('processors.llmgateway.io')], [current, '9.0.0'])
    await scene.kubectl(['annotate', 'crd', 'processors.llmgateway.io', `${VERSION}-`])
  })

  test('a rollback runs no Job', async () => {
    const jobs = scene.jobs.length
    await scene.helm(['rollback', 'gw', '1', '-n', SYSTEM, '--timeout', '90s'])
    assert.equal(scene.jobs.length, jobs)
  })

  test('with the Job switched off an upgrade runs no Job and needs no rights on CRDs', async () => {
    const jobs = scene.jobs.length
    await scene.helm(['upgrade', ...NAMED, '--set', 'crds.apply=false', '--timeout', '90s'])
    assert.equal(scene.jobs.length, jobs)
    await scene.helm(['uninstall', 'gw', '-n', SYSTEM])
  })

  test('a new install adopts the CRDs that the Job of an older version left behind', async () => {
    // The CRDs as the older version's Job wrote them.
    const older = readFileSync(join(ROOT, 'crds/manifests/llmgateway.io_routers.yaml'), 'utf8')
      .replace(/(?<=llmgateway\.io\/version: ).*/, '0.0.9')
      .replace('A path of a gateway:', 'A path of a gateway, said otherwise:')
    const manager = scene.jobs.at(0) === undefined ? '' : await managerOf(ROUTERS)
    const argv = ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-']
    const { code, stderr } = await scene.server.kubectl(argv, older)
    assert.equal(code, 0, stderr)
    assert.equal(await versionOf(ROUTERS), '0.0.9')
    await scene.helm(['install', ...NAMED, '--timeout', '90s'])
    assert.notEqual(await versionOf(ROUTERS), '0.0.9')
    await scene.helm(['uninstall', 'gw', '-n', SYSTEM])
  })

  test('helm 3 installs, upgrades, rolls back and uninstalls like helm 4', async () => {
    const jobs = scene.jobs.length
    await scene.helmWith('helm3', ['install', ...NAMED, '--timeout', '90s'])
    await scene.helmWith('helm3', ['upgrade', ...NAMED, '--set', 'operator.replicas=1', '--timeout', '90s'])
    await scene.helmWith('helm3', ['rollback', 'gw', '1', '-n', SYSTEM, '--timeout', '90s'])
    const { spec } = JSON.parse(
      await scene.kubectl(['-n', SYSTEM, 'get', 'deployment', 'gw-llm-gateway-operator', '-o', 'json']),
    )
    assert.deepEqual([spec.replicas, scene.jobs.length], [2, jobs + 2])
    await scene.helmWith('helm3', ['uninstall', 'gw', '-n', SYSTEM])
    assert.deepEqual(await namesLeft(), [])
  })
})

// An API server of its own: one that has just served changed CRDs may take minutes to delete them.
describe('the Job beside the chart llm-gateway-crds', { skip: whyNoChartScene(process.env) }, () => {
  let scene: ChartScene
  before(async () => {
    scene = await startChartScene()
    await scene.kubectl(['create', 'namespace', SYSTEM])
  })
  after(() => scene?.close())

  test('the CRDs of the chart llm-gateway-crds keep their owner, and stay when that chart is uninstalled', async () => {
    await scene.helm(['install', 'kinds', `${ROOT}/charts/llm-gateway-crds`, '-n', SYSTEM])
    // Without --skip-crds helm 4 would overwrite them with its own, annotations included.
    await scene.helm(['install', ...NAMED, '--skip-crds', '--timeout', '90s'])
    const output = scene.jobs.at(-1)?.output ?? ''
    assert.equal(output.match(/it belongs to the helm release kinds/g)?.length, 3, output)
    await scene.helm(['upgrade', 'kinds', `${ROOT}/charts/llm-gateway-crds`, '-n', SYSTEM])
    await scene.helm(['uninstall', 'gw', '-n', SYSTEM])
    await scene.helm(['uninstall', 'kinds', '-n', SYSTEM])
    assert.match(await scene.kubectl(['get', 'crd', '-o', 'name']), new RegExp(ROUTERS))
  })
})
