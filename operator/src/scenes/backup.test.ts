import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { startOperatorScene } from './operator-under-test.ts'

// Rules: docs/operations/backup.md#what-to-back-up, docs/operations/backup.md#restore

const API = 'llmgateway.io/v1alpha1'

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'openai', namespace: 'llm' },
  stringData: { key: 'planted' },
}
const GATEWAY = { apiVersion: API, kind: 'LLMGateway', metadata: place('main'), spec: { webInterface: {} } }
const ROUTER = {
  apiVersion: API,
  kind: 'Router',
  metadata: place('chat'),
  spec: {
    gatewayRef: { name: 'main' },
    path: '/chat/',
    outbound: { url: 'https://api.example/', headers: { 'Api-Key': ['${KEY}'] } },
    env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'openai', key: 'key' } } }],
  },
}

test('the backup of the documentation holds what people made, and restores it in an empty cluster', {
  skip: whyNoApiServer(process.env),
}, async () => {
  const [resources, values] = await backup()
  assert.deepEqual(namesIn(values), ['openai'], 'the operator makes its own objects anew')
  assert.deepEqual(namesIn(resources), ['main', 'chat'])

  const scene = await startOperatorScene()
  const operator = await scene.start()
  try {
    for (const list of [values, resources]) await scene.kubectl(['apply', '-f', '-'], list)
    await scene.untilTrue('the Router has its Secret', async () => {
      const { conditions = [] } = (await scene.get('router', 'chat')).status ?? {}
      return conditions.some(({ type, status }: Condition) => type === 'ResolvedRefs' && status === 'True')
    })
    await scene.untilTrue('a new password', () => scene.isThere('secret/main-web'))
  } finally {
    await operator.close()
    await scene.close()
  }
})

type List = { readonly items: readonly { readonly metadata: { readonly name: string } }[] }
type Condition = { readonly type: string; readonly status: string }

function namesIn({ items }: List): readonly string[] {
  return items.map(({ metadata }) => metadata.name)
}

function place(name: string) {
  return { name, namespace: 'llm' }
}

/** Runs the page's commands beside a gateway whose objects exist. Returns the resources, then the values. */
async function backup(): Promise<readonly [List, List]> {
  const scene = await startOperatorScene()
  const operator = await scene.start()
  try {
    for (const object of [SECRET, GATEWAY, ROUTER]) await scene.apply(object)
    for (const made of ['secret/main-bus-token', 'secret/main-web', 'secret/main-values', 'configmap/main-config'])
      await scene.untilTrue(made, () => scene.isThere(made))
    const [resources, values] = commands()
    return [JSON.parse(await scene.kubectl(resources ?? [])), JSON.parse(await scene.kubectl(values ?? []))]
  } finally {
    await operator.close()
    await scene.close()
  }
}

/** Returns the arguments of the page's first two commands, which write JSON here. */
function commands(): readonly (readonly string[])[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations/backup.md'), 'utf8')
  const lines = page.replaceAll(/\\\n\s*/g, '').matchAll(/^kubectl (.*get .*) -o yaml > \S+$/gm)
  return [...lines].map(([, words = '']) => [...words.replaceAll("'", '').split(' '), '-o', 'json'])
}
