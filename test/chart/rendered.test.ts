import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import packageFile from '../package.json' with { type: 'json' }
import { CHART, ROOT } from './chart-scene.ts'
import { matrixCases, template, valuesFile } from './matrix.ts'

const skip = process.env.CI === 'true' ? false : (whyNoHelm(ROOT) ?? false)
/** Dashboards and alerts have tests of their own; a golden would change with each of their edits. */
const GENERATED_SOURCE = /^# Source: llm-gateway\/templates\/monitoring\/(dashboards|alerts)\.yaml$/m
/** The places of the chart's version. Goldens have `VERSION` there, so that another version leaves them as they are. */
const OWN_VERSION = new RegExp(
  `(version: "?|llm-gateway[:-])${packageFile.version.replaceAll('.', '\\.')}(?![\\w.-])`,
  'g',
)

function goldenOf(text: string): string {
  const documents = text.split(/^---\n/m)
  const shown = documents.filter((document) => !GENERATED_SOURCE.test(document)).join('---\n')
  return shown.replaceAll(OWN_VERSION, '$1VERSION')
}

/** Returns the notes that helm prints for a release with a gateway. */
async function notes(...args: readonly string[]): Promise<string> {
  const release = ['install', 'gw', CHART, '--dry-run=client', '--set', 'gateway.enabled=true', '-n', 'llm']
  const { code, stdout, stderr } = await runHelm(ROOT, [...release, ...args])
  assert.equal(code, 0, stderr)
  return stdout.slice(stdout.indexOf('\nNOTES:'))
}

describe('helm renders a matrix of values', { skip }, () => {
  for (const name of matrixCases()) {
    test(name, async (context) => {
      const { code, stdout, stderr } = await template(['-f', valuesFile(name)])
      assert.deepEqual([code, stderr], [0, ''])
      const golden = join(import.meta.dirname, 'golden', `${name}.yaml`)
      context.assert.fileSnapshot(goldenOf(stdout), golden, { serializers: [(value) => value] })
    })
  }

  test('each dashboard becomes a ConfigMap with Grafana’s label, and the alerts become a PrometheusRule', async () => {
    const switches = ['alerts', 'dashboards'].map((name) => `monitoring.${name}.enabled=true`).join()
    const { stdout } = await template(['--set', `${switches},monitoring.dashboards.namespace=grafana`])
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    const files = join(CHART, 'files')
    const maps = objects.filter((object) => object?.metadata?.labels?.grafana_dashboard === '1')
    const boards = globSync('dashboards/*.json', { cwd: files }).map((file) => basename(file))
    assert.deepEqual(
      maps.flatMap(({ data }) => Object.keys(data)).sort(),
      boards.map((name) => `llm-gateway-${name}`).sort(),
    )
    for (const { data, metadata } of maps) {
      assert.equal(metadata.namespace, 'grafana')
      const [[name = '', text = ''] = []] = Object.entries<string>(data)
      const written = readFileSync(join(files, 'dashboards', name.replace('llm-gateway-', '')), 'utf8')
      assert.deepEqual(JSON.parse(text), JSON.parse(written))
    }
    const rules = objects.filter((object) => object?.kind === 'PrometheusRule')
    const alerts = globSync('alerts.yaml', { cwd: files }).map((file) => parse(readFileSync(join(files, file), 'utf8')))
    assert.deepEqual(
      rules.map(({ spec }) => spec),
      alerts,
    )
  })

  test('documentationUrl turns the runbook of each alert into an absolute URL', async () => {
    const { stdout } = await template([
      '--set',
      'monitoring.alerts.enabled=true,documentationUrl=https://docs.example/v1/',
    ])
    const [rule] = parseAllDocuments(stdout)
      .map((document) => document.toJS())
      .filter((object) => object?.kind === 'PrometheusRule')
    const alerts: readonly { readonly alert: string; readonly annotations: Readonly<Record<string, string>> }[] =
      rule.spec.groups.flatMap(({ rules }: { readonly rules: readonly object[] }) => rules)
    assert.ok(alerts.length > 10)
    for (const { alert, annotations } of alerts) {
      const { runbook, runbook_url: url } = annotations
      assert.deepEqual([runbook, url], [`docs/runbooks/${alert}.md`, `https://docs.example/v1/runbooks/${alert}.md`])
    }
  })

  test('the notes show a first call that the demo, an LLM API or the gateway itself can answer', async () => {
    const demo = await notes('--set', 'demo.enabled=true')
    assert.match(demo, /The demo LLM answers.*\/service\/standard\/v1\/chat\/completions .*"model":"demo"/s)
    assert.doesNotMatch(demo, /YOUR-/)
    // This Router passes the caller's key on, so a call without a key would fail at the LLM API.
    const own = await notes('--set', 'aiServiceApiBase=https://llm.example/')
    assert.match(own, /key and a model of your LLM API.*\/service\/standard\/.*Bearer YOUR-KEY.*"YOUR-MODEL"/s)
    assert.match(await notes(), /sends the body back.*\/echo\/ /s)
  })

  test('the notes tell how to open the web interface, where to find its password and how to let it write', async () => {
    assert.doesNotMatch(await notes(), /browser/)
    const open = /port-forward service\/main-web 8080\n/
    const alone = await notes('--set-json', 'gateway.spec={"webInterface":{}}')
    for (const command of [
      open,
      /http:\/\/127\.0\.0\.1:8080\//,
      /get secret main-web -o go-template='\{\{index \.data "GUI_SECRET" /,
    ])
      assert.match(alone, command)
    assert.doesNotMatch(alone, /rolebinding/)
    const tls = '{"webInterface":{"mode":"Edit","tls":{"secretRef":{"name":"cert"}}}}'
    const named = await notes('--set-json', `gateway.spec=${tls},guiSecretRef={"name":"gui","key":"word"}`)
    for (const command of [
      open,
      /https:\/\/127/,
      /get secret gui -o .*"word"/,
      /--clusterrole=gw-llm-gateway-web-edit\.llm /,
    ])
      assert.match(named, command)
    const watching = ['--set', 'operator.watchNamespaces={llm}']
    assert.match(await notes('--set-json', `gateway.spec=${tls}`, ...watching), /--role=gw-llm-gateway-web-edit\.llm /)
  })

  test('helm 3 renders the same objects as helm 4', { skip: skip || (whyNoHelm(ROOT, 'helm3') ?? false) }, async () => {
    for (const name of matrixCases()) {
      const args = ['template', 'gw', CHART, '-n', 'chart', '--kube-version', '1.35.4', '-f', valuesFile(name)]
      const [four, three] = await Promise.all([runHelm(ROOT, args), runHelm(ROOT, args, { program: 'helm3' })])
      assert.deepEqual([three.code, three.stderr], [0, ''])
      assert.equal(documentsOf(three.stdout), documentsOf(four.stdout), name)
    }
  })

  test('helm lint --strict finds no problem with any of the values', async () => {
    for (const name of matrixCases()) {
      const { code, stdout } = await runHelm(ROOT, ['lint', '--strict', '--quiet', CHART, '-f', valuesFile(name)])
      assert.deepEqual([code, stdout.trim()], [0, ''], name)
    }
    const crds = await runHelm(ROOT, ['lint', '--strict', join(ROOT, 'charts/llm-gateway-crds')])
    assert.equal(crds.code, 0, crds.stdout)
  })
})

/** Sorts the documents: the two helm versions differ in the order of unknown kinds and in empty lines. */
function documentsOf(text: string): string {
  return text
    .split(/^---\n/m)
    .map((document) => document.trim())
    .toSorted()
    .join('\n---\n')
}

type Refusal = readonly [what: string, values: string, error: RegExp]
const REFUSALS: readonly Refusal[] = [
  ['an unknown value', 'operator.replica=1', /\/operator.*'replica' not allowed/],
  ['an unknown value at the top level', 'oprator.replicas=1', /'oprator' not allowed/],
  ['a text for a number', 'operator.replicas=two', /\/operator\/replicas.*got string, want integer/],
  ['a part of a URL for the documentation', 'documentationUrl=docs/', /\/documentationUrl.*does not match pattern/],
  ['a number for a token', 'natsToken=5', /\/natsToken.*got number, want string/],
  ['an unknown pull policy', 'image.pullPolicy=never', /\/image\/pullPolicy.*'Always', 'IfNotPresent', 'Never'/],
  ['a truncated digest', 'image.digest=sha256:ab', /\/image\/digest.*does not match pattern/],
  ['an unknown field of an LLMGateway', 'gateway.spec.replica=1', /\/gateway\/spec.*'replica' not allowed/],
  ['a Router without a required field', 'routers.a.path=/a/', /\/routers\/a.*missing property 'outbound'/],
  ['a Router with a bad name', 'routers.A_b.path=/a/,routers.A_b.outbound.url=x', /A_b.*does not match pattern/],
  ['a Processor of an unknown type', 'processors.a.type=Magic', /\/processors\/a\/type.*must be one of/],
  ['an Ingress without hosts', 'gateway.ingress.enabled=true', /\/gateway\/ingress\/hosts.*minItems/],
  ['an HTTPRoute without a parent', 'gateway.httpRoute.enabled=true', /\/gateway\/httpRoute\/parentRefs.*minItems/],
  ['a certificate without an issuer', 'gateway.tls.certManager.enabled=true', /issuerRef.*missing property 'name'/],
  ['a key without an address', 'gateway.enabled=true,aiServiceApiKey=a', /aiServiceApiKey needs aiServiceApiBase/],
  [
    'an address without a scheme',
    'gateway.enabled=true,aiServiceApiBase=res.example',
    /aiServiceApiBase.*does not match/,
  ],
  [
    'a key for callers without a key of the LLM API',
    'gateway.enabled=true,aiServiceApiBase=https://a.example,gatewayApiKey=a',
    /gatewayApiKey needs aiServiceApiKey/,
  ],
  ['a token without a gateway', 'natsToken=a', /natsToken configures the gateway.*gateway\.enabled/],
  ['a demo with an LLM API', 'demo.enabled=true,aiServiceApiBase=https://a.example', /exclude each other/],
  ['a token and its Secret', 'gateway.enabled=true,natsToken=a,natsTokenSecretRef.name=b', /exclude each other/],
  ['a login without a gateway', 'guiSecret=a', /guiSecret configures the gateway.*gateway\.enabled/],
  ['a login and its Secret', 'gateway.enabled=true,guiSecret=a,guiSecretRef.name=b', /exclude each other/],
  ['a login Secret without a key', 'gateway.enabled=true,guiSecretRef.name=b', /guiSecretRef needs a key/],
  ['an unknown mode of the web interface', 'gateway.spec.webInterface.mode=Write', /\/mode.*'ReadOnly', 'Edit'/],
  ['a Secret without a name', 'gateway.enabled=true,natsTokenSecretRef.key=b', /natsTokenSecretRef needs a name/],
  ['an account without a name', 'operator.serviceAccount.create=false', /operator.serviceAccount.name must name/],
  ['a Secret without a key', 'gateway.enabled=true,natsTokenSecretRef.name=b', /natsTokenSecretRef needs a key/],
  [
    'a gateway outside the watched namespaces',
    'gateway.enabled=true,operator.watchNamespaces={a}',
    /watchNamespaces leaves out chart/,
  ],
  [
    'replicas together with an autoscaler',
    'gateway.enabled=true,gateway.autoscaling.enabled=true,gateway.spec.replicas=3',
    /exclude each other/,
  ],
]

describe('wrong values are refused before anything is installed', { skip }, () => {
  for (const [what, values, error] of REFUSALS) {
    test(`the chart refuses ${what}`, async () => {
      const { code, stderr } = await template(['--set', values])
      assert.notEqual(code, 0)
      assert.match(stderr, error)
    })
  }

  test('as a subchart it accepts the values that helm adds', async () => {
    const { code, stderr } = await template(['--set', 'global.a=b,enabled=true'])
    assert.deepEqual([code, stderr], [0, ''])
  })
})
