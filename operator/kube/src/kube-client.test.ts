import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKubeClient } from './kube-client.ts'
import { answer, startScriptedServer } from './scripted-server-under-test.ts'
import { createTransport } from './transport.ts'

const cases: readonly (readonly [string, readonly unknown[], readonly string[] | undefined])[] = [
  ['names no field', [], undefined],
  [
    'names fields',
    [{ field: 'spec.a[0].b[x.io/y]' }, { field: 'spec.replicas' }],
    ['spec.a[0].b[x.io/y]', 'spec.replicas'],
  ],
  ['names a field twice', [{ field: 'spec.a' }, { field: 'spec.a' }], ['spec.a']],
  ['says more than a path', [{ field: 'the value planted is wrong' }, { message: 'planted' }, 7], undefined],
  ['names many fields', [...'abcdef'].map((field) => ({ field })), ['a', 'b', 'c', 'd']],
]
for (const [what, causes, expected] of cases) {
  test(`of a refusal that ${what} the client keeps the paths of fields and no text`, async () => {
    const refusal = { reason: 'Invalid', message: 'Invalid value: "planted"', details: { causes } }
    await using server = await startScriptedServer([answer(422, refusal)])
    const transport = createTransport({ access: server.access })
    try {
      const place = { kind: 'Deployment', namespace: 'n', name: 'a' } as const
      const fields = expected === undefined ? {} : { fields: expected }
      const refused = { kind: 'refused', status: 422, code: 'Invalid', ...fields }
      assert.deepEqual(await createKubeClient(transport, 'tests').apply(place, {}), refused)
    } finally {
      await transport.close()
    }
  })
}
