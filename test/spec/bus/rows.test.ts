import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#order-of-rows

/** Replies once `size` members have been asked. Members called one after another would time out. */
function waitForAll(size: number): () => Promise<undefined> {
  let arrived = 0
  const complete = Promise.withResolvers<undefined>()
  return () => {
    arrived += 1
    if (arrived === size) complete.resolve(undefined)
    return complete.promise
  }
}

/** An entry that writes its name to `by` and sets `first_<name>`. */
const addingEntry = (name: string, over: Omit<ProcessorEntry, 'name'> = {}): ProcessorEntry => ({
  name,
  output_fields_write: ['by', `first_${name}`],
  reply: () => ({ by: name, [`first_${name}`]: true }),
  ...over,
})

const afterFour = waitForAll(4)
const afterBoth = waitForAll(2)
const answered = Promise.withResolvers<undefined>()

let scene: PipelineScene

before(async () => {
  const names = ['one', 'two', 'three', 'four']
  scene = await startPipelineScene([
    { path: '/parallel/', request: [names.map((name) => ({ name, reply: afterFour, timeout: 10_000 }))] },
    {
      path: '/phases/',
      request: [[{ name: 'asked', async: true, reply: afterBoth, timeout: 10_000 }]],
      response: [[{ name: 'told', async: true, reply: afterBoth, timeout: 10_000 }]],
    },
    {
      path: '/order/',
      request: [
        [addingEntry('a'), addingEntry('b')],
        [addingEntry('x', { async: true }), addingEntry('c')],
        [addingEntry('d')],
      ],
      response: [[addingEntry('e')], [addingEntry('y', { async: true })], [addingEntry('f'), addingEntry('g')]],
    },
    {
      path: '/snapshot/',
      request: [
        [
          addingEntry('a'),
          addingEntry('b', { modifier: true }),
          addingEntry('c'),
          addingEntry('d', { modifier: true }),
        ],
        [addingEntry('e', { modifier: true })],
      ],
    },
    {
      path: '/after/',
      request: [[{ name: 'late', async: true, timeout: 10_000, reply: () => answered.promise }]],
      response: [[{ name: 'later', async: true, timeout: 10_000, reply: () => answered.promise }]],
    },
    {
      path: '/effects/',
      request: [
        [
          {
            name: 'late',
            async: true,
            modifier: true,
            output_fields_write: ['outbound_payload', 'gl_path'],
            reply: () => ({ outbound_payload: 'x', gl_path: '/order/' }),
          },
        ],
      ],
    },
  ])
})
after(() => scene.close())
beforeEach(() => scene.calls.clear())

test('the entries of a row run in parallel: each answers when all have been called', async () => {
  const { answer, record } = await scene.ask('/parallel/')
  assert.equal(answer.status, 404)
  assert.equal(record.field('request.error'), undefined)
  assert.match(JSON.stringify(record.field('request.processors')), /"one".*"two".*"three".*"four"/)
})

test('the asynchronous rows of both phases run side by side', async () => {
  const { record } = await scene.ask('/phases/')
  assert.equal(record.field('request.error'), undefined)
  assert.equal(record.field('request.processors_async[0].name'), 'asked')
  assert.equal(record.field('response.processors_async[0].name'), 'told')
})

test('rows run one after another in the file’s order in both phases, synchronous processors first', async () => {
  const { record } = await scene.ask('/order/chat/completions')
  const names = scene.calls.entries.map(({ name }) => name)
  assert.deepEqual(names.slice(0, 2).sort(), ['a', 'b'])
  assert.deepEqual(names.slice(2, 5), ['c', 'd', 'e'])
  assert.deepEqual(names.slice(5, 7).sort(), ['f', 'g'])
  assert.deepEqual(names.slice(7).sort(), ['x', 'y'])
  const fieldsOf = (name: string) => scene.calls.entries.find((call) => call.name === name)?.fields ?? {}
  // Each row has one snapshot: its members don't see each other's fields, but the next row sees all.
  assert.equal(fieldsOf('b').first_a, undefined)
  assert.deepEqual([fieldsOf('c').first_a, fieldsOf('c').first_b, fieldsOf('d').first_c], [true, true, true])
  assert.deepEqual([fieldsOf('f').first_e, fieldsOf('f').first_a], [true, undefined], 'each phase has its own fields')
  assert.deepEqual([fieldsOf('x').first_d, fieldsOf('y').first_g], [true, true])
  assert.deepEqual([record.field('request.by'), record.field('response.by')], ['a', 'e'])
})

test('replies are merged in the file’s order: the first addition and the last replacement win', async () => {
  const { record } = await scene.ask('/snapshot/')
  const second = scene.calls.entries.find(({ name }) => name === 'e')
  assert.equal(second?.fields.by, 'd')
  assert.equal(record.field('request.by'), 'e')
  const own = ['a', 'b', 'c', 'd', 'e'].map((name) => record.field(`request.first_${name}`))
  assert.deepEqual(own, [true, undefined, true, undefined, undefined], 'a modifier adds no name')
})

test('the answer leaves before the asynchronous rows, the record after them', async () => {
  const answer = await fetch(`${scene.gateway.url}/after/`, { method: 'POST', body: '{}' })
  await answer.text()
  await scene.calls.waitForCount(2)
  const id = answer.headers.get('session-id')
  assert.ok(!scene.records.journal.entries.some(({ record }) => record.transaction_id === id))
  answered.resolve(undefined)
  const record = await scene.recordOf(answer)
  assert.equal(record.field('request.processors_async[0].name'), 'late')
  assert.equal(record.field('request.processors'), undefined)
  assert.equal(record.field('response.processors_async[0].name'), 'later')
})

test('an asynchronous entry can’t change bytes that were already sent', async () => {
  const { body, record } = await scene.ask('/effects/chat/completions')
  assert.match(body, /"chat.completion"/)
  assert.equal(scene.llm.requests.entries.at(-1)?.body.toString(), '{"a":1}')
  assert.deepEqual(record.field('request.outbound_payload'), { a: 1 })
  assert.equal(record.field('request.gl_path'), '/effects/')
})
