import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, describe, test } from 'node:test'
import { customResourceDefinitions } from '@llm-gateway/crds/definitions'
import { loadKubeAccess } from '@llm-gateway/kube'
import { type ApiServer, startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { buildBundle } from '../../../bundle/build-bundle.ts'
import packageFile from '../../../package.json' with { type: 'json' }
import { runCrdsApply } from '../run-crds-apply.ts'

const KINDS = ['llmgateways', 'routers', 'processors'].map((plural) => `${plural}.llmgateway.io`)
const ROUTERS = 'routers.llmgateway.io'
const MANIFESTS = join(import.meta.dirname, '../../../../crds/manifests')
const OURS = packageFile.version
/** The rights of the hook's account: it sees no other CRDs and deletes nothing. */
const RIGHTS = [
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['create'] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: KINDS,
    verbs: ['get', 'patch'],
  },
]

type Json = ReturnType<typeof JSON.parse>

describe('operator crds apply', { skip: whyNoApiServer(process.env) }, () => {
  let server: ApiServer
  let kubeconfig = ''
  before(async () => {
    // The API server lists a kind's objects before it deletes the CRD. While a changed CRD's watch cache is rebuilt,
    // that list can wait for a cache that has ended. Then a deletion between two tests takes minutes.
    server = await startApiServer({ flags: ['--watch-cache=false'] })
    const metadata = { name: 'hook' }
    await kubectl(['create', 'serviceaccount', 'hook'])
    await apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: RIGHTS })
    await kubectl(['create', 'clusterrolebinding', 'hook', '--clusterrole=hook', '--serviceaccount=default:hook'])
    kubeconfig = await server.createServiceAccountKubeconfig('default', 'hook')
    const account = '--as=system:serviceaccount:default:hook'
    await until('the rights are in force', async () => {
      const { code } = await server.kubectl(['auth', 'can-i', 'create', 'customresourcedefinitions', account])
      return code === 0
    })
  })
  after(() => server?.close())
  afterEach(() => kubectl(['delete', 'customresourcedefinition', '--ignore-not-found', ...KINDS]))

  const kubectl = async (args: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args, input)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const apply = (object: object): Promise<string> => kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const crd = async (name = ROUTERS): Promise<Json> => JSON.parse(await kubectl(['get', 'crd', name, '-o', 'json']))
  const run = async (definitions?: readonly object[]) => runCrdsApply(await loadKubeAccess(kubeconfig), definitions)
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + 60_000
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`not in time: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const isServed = async (): Promise<boolean> => (await server.kubectl(['get', KINDS.join(',')])).code === 0

  test('the first install: the bundled operator creates all CRDs and waits until they are Established', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crds-apply-'))
    try {
      await buildBundle(join(folder, 'operator.mjs'))
      const argv = [join(folder, 'operator.mjs'), 'crds', 'apply', '--kubeconfig', kubeconfig]
      const child = spawn(process.execPath, argv, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      const printed = await text(child.stdout)
      assert.equal(await ended, 0)
      assert.equal(printed, KINDS.map((name) => `${name}: made, ${OURS}\n`).join(''))
    } finally {
      rmSync(folder, { recursive: true })
    }
    for (const name of KINDS) {
      const { spec, status, metadata } = await crd(name)
      assert.ok(status.conditions.some((one: Json) => one.type === 'Established' && one.status === 'True'))
      assert.equal(metadata.annotations['llmgateway.io/version'], OURS)
      const shipped = await kubectl(['create', '--dry-run=client', '-o', 'json', '-f', '-'], manifest(name))
      assert.deepEqual(spec.versions, JSON.parse(shipped).spec.versions)
    }
    await until('kubectl knows the kinds', isServed)
  })

  test('a second run writes nothing', async () => {
    await run()
    const before = await Promise.all(KINDS.map((name) => crd(name)))
    const { code, stdout } = await run()
    assert.equal(code, 0)
    assert.equal(stdout, KINDS.map((name) => `${name}: is up to date, ${OURS}\n`).join(''))
    assert.deepEqual(await Promise.all(KINDS.map((name) => crd(name))), before)
  })

  for (const [who, args] of [
    ['kubectl', ['apply', '-f', '-']],
    ['the folder crds/ of a chart', ['create', '--field-manager=helm', '-f', '-']],
    ['the folder crds/ of a chart, by Flux', ['apply', '--server-side', '--field-manager=helm-controller', '-f', '-']],
  ] as const) {
    test(`older CRDs, made by ${who}, are replaced by our CRDs, and fields that our CRDs lack are removed`, async () => {
      const old = older(ROUTERS)
      const [version] = old.spec.versions
      version.schema.openAPIV3Schema.properties.spec.properties.gone = { type: 'string' }
      delete version.schema.openAPIV3Schema.properties.spec.properties.internal
      await kubectl(args, JSON.stringify(old))
      const { code, stdout } = await run()
      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`^${ROUTERS}: applied, 0\\.0\\.9 -> ${OURS}$`, 'm'))
      const { properties } = (await crd()).spec.versions[0].schema.openAPIV3Schema.properties.spec
      assert.equal(properties.gone, undefined)
      assert.equal(properties.internal.type, 'boolean')
    })
  }

  test('CRDs without the version annotation count as older', async () => {
    const old = older(ROUTERS)
    delete old.metadata.annotations
    await apply(old)
    assert.match((await run()).stdout, /^routers\S+: applied, no version -> /m)
  })

  type Stays = readonly [what: string, change: (old: Json) => void, args: readonly string[], reason: RegExp]
  const STAYS: readonly Stays[] = [
    [
      'a newer CRD',
      ({ metadata }) => {
        metadata.annotations = { 'llmgateway.io/version': '99.0.0-rc.1' }
      },
      ['apply', '-f', '-'],
      /it is newer: 99\.0\.0-rc\.1, this is/,
    ],
    [
      'a CRD with an invalid version',
      ({ metadata }) => {
        metadata.annotations = { 'llmgateway.io/version': 'latest' }
      },
      ['apply', '-f', '-'],
      /annotation llmgateway\.io\/version is not a version/,
    ],
    [
      'a CRD that Argo CD manages',
      () => undefined,
      ['apply', '--server-side', '--field-manager=argocd-controller', '-f', '-'],
      /argocd-controller manages it/,
    ],
    [
      'a CRD from the templates of another chart',
      ({ metadata }) => {
        metadata.annotations['meta.helm.sh/release-name'] = 'our-crds'
      },
      ['apply', '--server-side', '--field-manager=helm', '-f', '-'],
      /belongs to the helm release our-crds/,
    ],
    [
      'a CRD that has an owner',
      ({ metadata }) => {
        metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'x' }]
      },
      ['apply', '-f', '-'],
      /it belongs to Namespace default/,
    ],
    [
      'a CRD with objects stored in a version that ours lacks',
      ({ spec }) => {
        spec.versions = [
          { ...spec.versions[0], storage: false },
          { ...spec.versions[0], name: 'v1' },
        ]
      },
      ['apply', '-f', '-'],
      /objects may be stored in version v1, which the new CRD lacks/,
    ],
  ]
  for (const [what, change, args, reason] of STAYS) {
    test(`${what} stays and is named, the other CRDs are applied, and the command exits with 0`, async () => {
      const old = older(ROUTERS)
      change(old)
      await kubectl(args, JSON.stringify(old))
      await until('the CRD is Established', async () => {
        const { status } = await crd()
        return status?.conditions?.some((one: Json) => one.type === 'Established' && one.status === 'True') ?? false
      })
      const before = await crd()
      const { code, stdout, stderr } = await run()
      assert.equal(code, 0, stderr)
      const [own, ...others] = stdout.split('\n').sort((line) => (line.startsWith(ROUTERS) ? -1 : 1))
      assert.match(own ?? '', /^routers\.llmgateway\.io: stays as it is: /)
      assert.match(own ?? '', reason)
      assert.equal(others.filter((line) => line.endsWith(`made, ${OURS}`)).length, 2)
      assert.deepEqual(await crd(), before)
    })
  }

  test('a CRD that the API server refuses is a failure with its reason, and stops no other CRD', async () => {
    const wrong = definitionOf(ROUTERS)
    wrong.spec.scope = 'Nowhere'
    const { code, stdout, stderr } = await run([wrong, definitionOf('processors.llmgateway.io')])
    assert.equal(code, 1)
    assert.match(stderr, /^routers\.llmgateway\.io: .*spec\.scope/)
    assert.equal(stdout, `processors.llmgateway.io: made, ${OURS}\n`)
  })

  test('the command names missing rights and a missing API server', async () => {
    await kubectl(['create', 'serviceaccount', 'nobody'])
    const nobody = await server.createServiceAccountKubeconfig('default', 'nobody')
    const forbidden = await runCrdsApply(await loadKubeAccess(nobody))
    assert.equal(forbidden.code, 1)
    assert.match(forbidden.stderr, /nobody" cannot get resource "customresourcedefinitions"/)
    const access = { ...(await loadKubeAccess(kubeconfig)), server: 'https://127.0.0.1:1' }
    const away = await runCrdsApply(access)
    assert.deepEqual([away.code, away.stderr], [1, 'https://127.0.0.1:1: no answer, ECONNREFUSED\n'])
  })

  test('a CRD that is being deleted is created again once it is gone', async () => {
    await run()
    const held = { metadata: { finalizers: ['example.org/hold'] } }
    const patch = (finalizers: object) =>
      kubectl(['patch', 'crd', ROUTERS, '--type=merge', '-p', JSON.stringify(finalizers)])
    await patch(held)
    await kubectl(['delete', 'crd', ROUTERS, '--wait=false'])
    const { uid } = (await crd()).metadata
    const running = run()
    await patch({ metadata: { finalizers: null } })
    assert.match((await running).stdout, /^routers\.llmgateway\.io: made, /m)
    assert.notEqual((await crd()).metadata.uid, uid)
  })

  test('two concurrent runs both succeed', async () => {
    await apply(older(ROUTERS))
    const outcomes = await Promise.all([run(), run(), run()])
    assert.deepEqual(
      outcomes.map(({ code, stderr }) => [code, stderr]),
      outcomes.map(() => [0, '']),
    )
  })
})

function manifest(name: string): string {
  const [plural = ''] = name.split('.')
  return readFileSync(join(MANIFESTS, `llmgateway.io_${plural}.yaml`), 'utf8')
}

function definitionOf(name: string): Json {
  return structuredClone(customResourceDefinitions().find(({ metadata }: Json) => metadata.name === name))
}

/** Returns a CRD as an earlier version shipped it. */
function older(name: string): Json {
  const definition = definitionOf(name)
  definition.metadata.annotations = { 'llmgateway.io/version': '0.0.9' }
  return definition
}
