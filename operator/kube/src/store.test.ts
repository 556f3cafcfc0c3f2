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

test('an older version never replaces a newer version, and versions are compared as numbers', () => {
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

test('a list drops the objects that it lacks, except those that were written after it', () => {
  const store = new Store<Stored>()
  const changes: string[] = []
  for (const one of [object('old', '3'), object('new', '12')]) store.put(one)
  store.onChange(({ key, before, after }) => changes.push(`${key} ${before !== undefined} ${after !== undefined}`))
  store.replace([object('listed', '5')], '10')
  assert.deepEqual(versions(store), ['listed5', 'new12'])
  assert.deepEqual(changes, ['n/old true false', 'n/listed false true'])
})

test('an answer to our own write brings no object back whose deletion came before it', () => {
  const store = new Store<Stored>()
  const put = (name: string, version: string) => store.put(object(name, version), true)
  put('a', '3')
  assert.deepEqual(versions(store), ['a3'], 'the watch is behind')
  store.delete(object('a', '5'))
  for (const version of ['3', '4']) put('a', version)
  assert.deepEqual(versions(store), [])
  put('a', '6')
  assert.deepEqual(versions(store), ['a6'], 'a new object')
  store.replace([], '9')
  put('a', '8')
  assert.deepEqual(versions(store), [], 'the list was newer')
  store.restore([object('b', '2')])
  put('a', '3')
  assert.deepEqual(versions(store), ['a3', 'b2'], 'a server of a copy counts anew')
})

test('a list of one namespace drops no object of another namespace', () => {
  const store = new Store<Stored>()
  const elsewhere = { metadata: objectMetaSchema.parse({ name: 'a', namespace: 'other', resourceVersion: '1' }) }
  for (const one of [object('gone', '3'), elsewhere]) store.put(one)
  store.replace([], '10', 'n')
  assert.deepEqual([...store.objects.keys()], ['other/a'])
})

test('objects are found by their index key, also after the key changed', () => {
  const store = new Store<Stored>({ indexBy: ({ metadata }) => metadata.labels.of ?? '' })
  const labelled = (name: string, of: string, version: string): Stored => ({
    metadata: objectMetaSchema.parse({ name, namespace: 'n', resourceVersion: version, labels: { of } }),
  })
  const names = (of: string) => store.of(of).map(({ metadata }) => metadata.name)
  for (const one of [labelled('a', 'x', '1'), labelled('b', 'x', '2'), labelled('c', 'y', '3')]) store.put(one)
  assert.deepEqual([names('x'), names('y'), names('z')], [['a', 'b'], ['c'], []])
  store.put(labelled('a', 'y', '4'))
  store.delete(labelled('b', 'x', '5'))
  assert.deepEqual([names('x'), names('y')], [[], ['c', 'a']])
})

test('a listener that throws does not keep the change from other listeners', () => {
  const failures: unknown[] = []
  const heard: string[] = []
  const store = new Store<Stored>({ listenerFailed: (error) => failures.push(error) })
  store.onChange(() => {
    throw new RangeError('a bug')
  })
  store.onChange(({ key }) => heard.push(key))
  store.replace([object('a', '1'), object('b', '2')], '3')
  assert.deepEqual([heard, failures.length, store.objects.size], [['n/a', 'n/b'], 2, 2])
})
