import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#conditions

const API = 'llmgateway.io/v1alpha1'
const ROLE = 'llm-gateway-operator.llm-gateway-system'
type Rule = { readonly resources: readonly string[]; readonly verbs: readonly string[] }

describe('a Secret that can’t be read for a while', { skip: whyNoApiServer(process.env) }, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const says = (name: string, expected: RegExp) =>
    scene.until(`${name} says ${expected}`, async () => {
      const { status = {} } = await scene.get('router', name)
      const conditions: readonly { type: string; status: string; reason: string }[] = status.conditions ?? []
      const shown = conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(' ')
      return expected.test(shown) ? shown : undefined
    })
  const entries = async (): Promise<readonly { path: string; disabled?: true; outbound?: { url: string } }[]> => {
    const { data } = await scene.get('configmap', 'main-config')
    return JSON.parse(data['gl_config.json']).routers
  }
  /** Returns each path with the host that the configuration sends its calls to. */
  const hosts = async () => {
    const { data } = await scene.get('secret', 'main-values')
    const text = (_: string, name: string) => Buffer.from(data[name], 'base64').toString()
    return Object.fromEntries(
      (await entries()).map(({ path, outbound }) => [
        path,
        outbound && URL.parse(outbound.url.replace(/\$\{(V_\w+)\}/g, text))?.host,
      ]),
    )
  }
  const message = async (name: string): Promise<string> => {
    const { status } = await scene.get('router', name)
    return status.conditions.find(({ type }: { type: string }) => type === 'Programmed').message
  }
  /** Lets the operator read certain Secrets. It still sees that any Secret changed. */
  const allowReading = async (readable: Readable): Promise<void> => {
    const { rules } = await scene.get('clusterrole', ROLE)
    const others = rules.flatMap((rule: Rule) => (rule.resources.includes('secrets') ? withoutReading(rule) : rule))
    const patch = JSON.stringify({ rules: [...others, ...rulesOf(readable)] })
    await scene.kubectl(['patch', 'clusterrole', ROLE, '--type=merge', '-p', patch])
    // Rights take effect a moment later.
    const may = (secret: string) => ['auth', 'can-i', 'get', secret, '-n', 'llm', '--kubeconfig', scene.kubeconfig]
    const isAllowed = async (secret: string) => (await scene.server.kubectl(may(secret))).code === 0
    await scene.untilTrue('the right to read a key', async () => (await isAllowed(OWN)) === (readable === 'all'))
    await scene.untilTrue('the right to read values', async () => (await isAllowed(VALUES)) === (readable !== 'none'))
  }
  const touch = (text: string) =>
    scene.kubectl(['-n', 'llm', 'annotate', 'secret', 'own', '--overwrite', `example.com/touched=${text}`])

  test('a working Router goes on with ResolvedRefs Unknown; a new Router waits', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'own', namespace: 'llm' },
      stringData: { a: 'x', url: 'https://res.example/' },
    }
    await scene.apply(secret)
    await scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec: {} })
    for (const one of [router('works', 'a'), router('edited', 'a'), router('address', 'a', '${URL}v1')]) {
      await scene.apply(one)
      await says(nameOf(one), /ResolvedRefs=True/)
    }
    await allowReading('none')
    await touch('once')
    await says('works', /ResolvedRefs=Unknown\/ReadFailed Programmed=False\/NoReadyPods/)
    await scene.apply(router('new', 'a'))
    await says('new', /ResolvedRefs=Unknown\/ReadFailed Programmed=Unknown\/ReadFailed/)
    assert.deepEqual(await hosts(), { ...WORKING, '/new/': undefined })
  })

  test('an edit waits, so that the last text of its key goes to no new address', async () => {
    await scene.apply(router('edited', 'a', 'https://new.example/'))
    await says('edited', /ResolvedRefs=Unknown\/ReadFailed Programmed=Unknown\/ReadFailed/)
    assert.deepEqual(await hosts(), { ...WORKING, '/new/': undefined })
    assert.match(await message('edited'), /Secret llm\/own could not be read.* The gateway keeps the configuration/)
  })

  test('an operator that starts meanwhile keeps what the gateway has', async () => {
    await operator.close()
    operator = await scene.start()
    await scene.until('a start', async () => (operator.ready ? true : undefined))
    await touch('twice')
    await scene.apply(router('newer', 'b'))
    await says('newer', /ResolvedRefs=Unknown\/ReadFailed Programmed=Unknown\/ReadFailed/)
    assert.deepEqual(await hosts(), { ...WORKING, '/new/': undefined })
  })

  test('once it can read the values in use, Routers with a key in their address or in a header work on', async () => {
    await allowReading('values')
    for (const name of ['works', 'address'])
      await says(name, /ResolvedRefs=Unknown\/ReadFailed Programmed=False\/NoReadyPods/)
    await says('edited', /ResolvedRefs=Unknown\/ReadFailed Programmed=Unknown\/ReadFailed/)
    assert.deepEqual(await hosts(), { ...WORKING, '/new/': undefined, '/newer/': undefined })
  })

  test('the operator reads the Secret again by itself', async () => {
    await allowReading('all')
    await says('works', /ResolvedRefs=True/)
    await says('newer', /ResolvedRefs=False\/KeyNotFound/)
    await says('edited', /ResolvedRefs=True/)
    await scene.untilTrue('the edit', async () => (await hosts())['/edited/'] === 'new.example')
    assert.equal((await hosts())['/new/'], 'res.example')
  })
})

/** The Secrets that the operator may read: all, only those that it wrote, or none. */
type Readable = 'all' | 'values' | 'none'
const OWN = 'secrets/own'
const VALUES = 'secrets/main-values'

function withoutReading(rule: Rule): readonly Rule[] {
  const rest = rule.resources.filter((resource) => resource !== 'secrets')
  const verbs = rule.verbs.filter((verb) => verb !== 'get')
  const ofSecrets = verbs.length === 0 ? [] : [{ ...rule, resources: ['secrets'], verbs }]
  return rest.length === 0 ? ofSecrets : [{ ...rule, resources: rest }, ...ofSecrets]
}

function rulesOf(readable: Readable): readonly object[] {
  if (readable === 'none') return []
  const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
  return [readable === 'all' ? rule : { ...rule, resourceNames: ['main-values', 'main-token'] }]
}

const WORKING = { '/works/': 'res.example', '/edited/': 'res.example', '/address/': 'res.example' }

function nameOf({ metadata }: ReturnType<typeof router>): string {
  return metadata.name
}

function router(name: string, key: string, url = 'https://res.example/') {
  const env = [
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 'own', key } } },
    { name: 'URL', valueFrom: { secretKeyRef: { name: 'own', key: 'url' } } },
  ]
  const outbound = { url, headers: { 'Api-Key': ['${KEY}'] } }
  const spec = { gatewayRef: { name: 'main' }, path: `/${name}/`, outbound, env }
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace: 'llm' }, spec }
}
