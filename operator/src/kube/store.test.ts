import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectMetaSchema } from '@llm-gateway/crds'
import { Store, type Stored } from './store.ts'

function object(name: string, resourceVersion: string): Stored {
  return { metadata: objectMetaSchema.parse({ name, namespace: 'n', uid: name, resourceVersion }) }
}

function versions(store: Store<Stored>): readonly string[] {
  return [...store.objects.values()].map(({ metadata }) => `${metadata.name}${metadata.resourceVersion}`).sort()
}

test('an older version never replaces a newer one, numbers being compared as numbers', () => {
  const store = new Store<Stored>()
  store.put(object('a', '9'))
  store.put(object('a', '10'))
  store.put(object('a', '9'))
  assert.deepEqual(versions(store), ['a10'])
  store.delete(object('a', '9'))
  assert.deepEqual(versions(store), ['a10'])
  store.delete(object('a', '11'))
  assert.deepEqual(versions(store), [])
})

test('a list drops what it lacks, but not what was written after it', async () => {
  const store = new Store<Stored>()
  const changes: string[] = []
  for (const one of [object('old', '3'), object('new', '12')]) store.put(one)
  store.onChange(({ key, before, after }) => changes.push(`${key} ${before !== undefined} ${after !== undefined}`))
  assert.equal(store.isSynced, false)
  store.replace([object('listed', '5')], '10')
  await store.synced
  assert.deepEqual(versions(store), ['listed5', 'new12'])
  assert.deepEqual(changes, ['n/old true false', 'n/listed false true'])
})
