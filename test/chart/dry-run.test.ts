import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { foreignDefinitions } from '../../tools/helm/foreign-definitions.ts'
import { until } from '../operator/wait.ts'
import { CHART, type ChartScene, startChartScene, whyNoChartScene } from './chart-scene.ts'
import { matrixCases, NAMESPACE, RELEASE, template, valuesFile } from './matrix.ts'

const RELEASE_BYTES = 1_048_576
const FOREIGN = ['podmonitors', 'prometheusrules', 'httproutes', 'certificates']

describe('the API server accepts the objects that helm renders', { skip: whyNoChartScene(process.env) }, () => {
  let scene: ChartScene
  let missing = ''
  before(async () => {
    scene = await startChartScene()
    await scene.kubectl(['apply', '-f', 'crds/manifests'])
    const foreign = await foreignDefinitions(process.env)
    if (foreign.kind === 'missing') {
      missing = foreign.reason
      return
    }
    await scene.kubectl(['apply', '--server-side', ...foreign.files.flatMap((file) => ['-f', file])])
    await until('all kinds', async () => {
      const kinds = ['llmgateways', 'routers', 'processors', ...FOREIGN].join(',')
      return (await scene.server.kubectl(['get', kinds, '-A'])).code === 0 ? true : undefined
    })
    for (const name of [NAMESPACE, 'team-a']) await scene.kubectl(['create', 'namespace', name])
    // For Deployments the API server only warns; pods are refused.
    const levels = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`)
    await scene.kubectl(['label', 'namespace', NAMESPACE, ...levels])
  })
  after(() => scene?.close())

  test('the API server warns about a pod that runs as root', async () => {
    const { stdout } = await template([])
    const text = stdout.replace('runAsNonRoot: true', 'runAsNonRoot: false')
    const { stderr } = await scene.server.kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], text)
    assert.match(stderr, /would violate PodSecurity "restricted/)
  })

  for (const name of matrixCases()) {
    test(`values ${name}: the API server accepts the objects strictly and without warnings of Pod Security restricted`, async (context) => {
      if (missing !== '' && process.env.CI !== 'true') return context.skip(missing)
      assert.equal(missing, '')
      const { stdout } = await template(['-f', valuesFile(name)])
      const argv = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-']
      const { code, stderr } = await scene.server.kubectl(argv, stdout)
      assert.deepEqual([stderr, code], ['', 0])
    })
  }

  test('the Secret of a release with every option stays far below the size limit of an object', async (context) => {
    if (missing !== '' && process.env.CI !== 'true') return context.skip(missing)
    const values = ['-f', valuesFile('everything'), '--set', 'crds.apply=false']
    await scene.helm(['install', RELEASE, CHART, '-n', NAMESPACE, ...values])
    const secret = await scene.admin.get({
      kind: 'Secret',
      namespace: NAMESPACE,
      name: `sh.helm.release.v1.${RELEASE}.v1`,
    })
    const bytes = JSON.stringify(secret).length
    context.diagnostic(`${bytes} bytes`)
    assert.ok(bytes > 10_000 && bytes < RELEASE_BYTES / 2, `${bytes}`)
    await scene.helm(['uninstall', RELEASE, '-n', NAMESPACE])
  })
})
