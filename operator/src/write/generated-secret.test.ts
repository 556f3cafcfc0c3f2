import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmGatewaySchema } from '@llm-gateway/crds'
import { type KubeClient, Store, type Stored, type WriteOutcome } from '@llm-gateway/kube'
import { busToken, ensureSecret, webSecret } from './generated-secret.ts'

// Rules: docs/reference/kubernetes.md#ownership

const metadata = { name: 'main', namespace: 'llm', uid: 'ours', generation: 1 }
const gateway = llmGatewaySchema.parse({ metadata, spec: {} })
const named = llmGatewaySchema.parse({ metadata, spec: { bus: { tokenSecretRef: { name: 'mine', key: 'k' } } } })
const REFUSED: WriteOutcome = { kind: 'refused', status: 405, code: 'MethodNotAllowed' }

function secretOf(owner: string): object {
  const ownerReferences = [{ uid: owner, controller: true }]
  return { metadata: { name: 'main-bus-token', namespace: 'llm', uid: 's', resourceVersion: '1', ownerReferences } }
}

/** Makes the API server's side: `created` answers a POST, `there` is the existing object. */
function scene(created: WriteOutcome, there?: object) {
  const posts: unknown[] = []
  const client: KubeClient = {
    get: async () => (there === undefined ? undefined : { kind: 'written', object: there }),
    create: async (_, object) => {
      posts.push(object)
      return created
    },
    apply: async () => REFUSED,
    merge: async () => REFUSED,
    remove: async () => REFUSED,
  }
  return { posts, options: { client, metadata: new Store<Stored>(), randomText: () => 'random' } }
}

const EXISTS: WriteOutcome = { kind: 'refused', status: 409, code: 'AlreadyExists' }

test('the token is POSTed once; the operator trusts its watch for the rest', async () => {
  const { posts, options } = scene({ kind: 'written', object: secretOf('ours') })
  assert.deepEqual(await ensureSecret(gateway, busToken(gateway), options), { kind: 'there' })
  assert.deepEqual(await ensureSecret(gateway, busToken(gateway), options), { kind: 'there' })
  assert.equal(posts.length, 1)
  assert.match(JSON.stringify(posts[0]), new RegExp(`"token":"${Buffer.from('random').toString('base64')}"`))
})

test('a gateway that names a Secret gets no generated one', async () => {
  const { posts, options } = scene(REFUSED)
  assert.deepEqual(await ensureSecret(named, busToken(named), options), { kind: 'there' })
  assert.deepEqual(posts, [])
})

test('the password is generated where there is a web interface and the resource names no Secret', () => {
  const withWeb = (webInterface: object) => webSecret(llmGatewaySchema.parse({ metadata, spec: { webInterface } }))
  assert.equal(webSecret(gateway), undefined)
  assert.equal(withWeb({ secretRef: { name: 'mine', key: 'k' } }), undefined)
  assert.deepEqual(withWeb({}), { name: 'main-web', key: 'GUI_SECRET', component: 'web' })
})

const races: readonly (readonly [string, object | undefined, object])[] = [
  ['the operator that led before made it', secretOf('ours'), { kind: 'there' }],
  ['somebody else has that name', secretOf('theirs'), { kind: 'name conflict' }],
  ['it is gone again', undefined, { kind: 'refused', code: 'AlreadyExists' }],
]
for (const [what, there, expected] of races) {
  test(`a POST is refused because the Secret exists: ${what}`, async () => {
    assert.deepEqual(await ensureSecret(gateway, busToken(gateway), scene(EXISTS, there).options), expected)
  })
}
