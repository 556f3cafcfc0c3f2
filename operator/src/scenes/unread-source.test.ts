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
  const entries = async (): Promise<readonly { path: string; disabled?: true }[]> => {
    const { data } = await scene.get('configmap', 'main-config')
    return JSON.parse(data['gl_config.json']).routers
  }
  /** Allows or forbids the operator to read Secrets. The operator still sees that a Secret changed. */
  const allowReading = async (allowed: boolean): Promise<void> => {
    const { rules } = await scene.get('clusterrole', ROLE)
    const patched = rules.flatMap((rule: Rule) => (rule.resources.includes('secrets') ? split(rule, allowed) : rule))
    const patch = JSON.stringify({ rules: patched })
    await scene.kubectl(['patch', 'clusterrole', ROLE, '--type=merge', '-p', patch])
    // Rights take effect a moment later.
    const right = ['auth', 'can-i', 'get', 'secrets', '-n', 'llm', '--kubeconfig', scene.kubeconfig]
    await scene.untilTrue('the right', async () => ((await scene.server.kubectl(right)).code === 0) === allowed)
  }
  const touch = (text: string) =>
    scene.kubectl(['-n', 'llm', 'annotate', 'secret', 'own', '--overwrite', `example.com/touched=${text}`])

  test('a working Router keeps its last value with ResolvedRefs Unknown; a new Router waits', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'own', namespace: 'llm' },
      stringData: { a: 'x' },
    }
    await scene.apply(secret)
    await scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec: {} })
    await scene.apply(router('works', 'a'))
    await says('works', /ResolvedRefs=True/)
    await allowReading(false)
    await touch('once')
    await says('works', /ResolvedRefs=Unknown\/ReadFailed Programmed=False\/NoReadyPods/)
    await scene.apply(router('new', 'b'))
    await says('new', /ResolvedRefs=Unknown\/ReadFailed Programmed=Unknown\/ReadFailed/)
    assert.deepEqual(
      (await entries()).map(({ path, disabled }) => [path, disabled]),
      [
        ['/new/', true],
        ['/works/', undefined],
      ],
    )
  })

  test('an operator that starts meanwhile writes no configuration without that Router', async () => {
    await operator.close()
    operator = await scene.start()
    await scene.until('a start', async () => (operator.ready ? true : undefined))
    await touch('twice')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    assert.deepEqual((await entries()).find(({ path }) => path === '/works/')?.disabled, undefined)
  })

  test('the operator reads the Secret again by itself', async () => {
    await allowReading(true)
    await says('works', /ResolvedRefs=True/)
    await says('new', /ResolvedRefs=False\/KeyNotFound/)
  })
})

function split(rule: Rule, allowed: boolean): readonly Rule[] {
  const rest = rule.resources.filter((resource) => resource !== 'secrets')
  const verbs = rule.verbs.filter((verb) => verb !== 'get')
  const ofSecrets = { ...rule, resources: ['secrets'], verbs: allowed ? ['get', ...verbs] : verbs }
  return rest.length === 0 ? [ofSecrets] : [{ ...rule, resources: rest }, ofSecrets]
}

function router(name: string, key: string): object {
  const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'own', key } } }]
  const outbound = { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } }
  const spec = { gatewayRef: { name: 'main' }, path: `/${name}/`, outbound, env }
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace: 'llm' }, spec }
}
