import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { bytes, openedBucket, PATIENT, watched } from './key-value-under-test.ts'

test('a written value is read by all clients, with growing revisions', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  assert.deepEqual(await one.keyValue.get('key'), { kind: 'missing' })
  assert.deepEqual(await one.keyValue.put('key', bytes('a')), { kind: 'written', revision: 1 })
  assert.deepEqual(await other.keyValue.put('key', bytes('b')), { kind: 'written', revision: 2 })
  assert.deepEqual(await one.keyValue.get('key'), {
    kind: 'found',
    entry: { value: bytes('b'), revision: 2 },
  })
  assert.deepEqual(await one.keyValue.delete('key'), { kind: 'written', revision: 3 })
  assert.deepEqual(await other.keyValue.get('key'), { kind: 'missing' })
  assert.deepEqual(await one.keyValue.put('empty', bytes('')), { kind: 'written', revision: 4 })
  assert.deepEqual(await other.keyValue.get('empty'), { kind: 'found', entry: { value: bytes(''), revision: 4 } })
})

test('an update is written only over the revision it was made from', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  const { keyValue } = one
  assert.deepEqual(await keyValue.update('key', bytes('a'), 0), { kind: 'written', revision: 1 })
  assert.deepEqual(await keyValue.update('key', bytes('b'), 0), { kind: 'conflict' })
  assert.deepEqual(await keyValue.update('key', bytes('b'), 7), { kind: 'conflict' })
  assert.deepEqual(await keyValue.update('key', bytes('b'), 1), { kind: 'written', revision: 2 })
  await keyValue.delete('key')
  assert.deepEqual(await keyValue.update('key', bytes('c'), 2), { kind: 'conflict' })
  assert.deepEqual(await keyValue.update('key', bytes('c'), 0), { kind: 'written', revision: 4 })
})

test('two clients that each add one to a number 100 times at the same time make it 200: no update is lost', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  let conflicts = 0
  const addOne = async (keyValue: (typeof one)['keyValue']): Promise<void> => {
    for (;;) {
      const read = await keyValue.get('count')
      assert.notEqual(read.kind, 'failed')
      const [count, revision] = read.kind === 'found' ? [Number(read.entry.value), read.entry.revision] : [0, 0]
      const outcome = await keyValue.update('count', bytes(String(count + 1)), revision)
      if (outcome.kind === 'written') return
      assert.equal(outcome.kind, 'conflict')
      conflicts += 1
    }
  }
  const additions = async ({ keyValue }: typeof one): Promise<void> => {
    for (let count = 0; count < 100; count++) await addOne(keyValue)
  }
  await Promise.all([additions(one), additions(other)])
  const read = await one.keyValue.get('count')
  assert.equal(read.kind === 'found' ? String(Buffer.from(read.entry.value)) : '', '200')
  assert.ok(conflicts > 0, 'nobody raced')
})

test('any string up to 1 KB is a key', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  const keys = ['', '.', '..', '>', '*', 'a.b', 'a.>', ' ', '\r\nPUB x 0\r\n', '\0', '/pool/gpt4/', 'ключ', '😀']
  const stranger = [
    '__proto__',
    'constructor',
    '\ud83d',
    '\ude00',
    '\ufffd',
    '=',
    '==',
    '=AA',
    '$KV.x',
    'é'.repeat(512),
  ]
  for (const key of [...keys, ...stranger]) {
    assert.equal((await one.keyValue.put(key, bytes(JSON.stringify(key)))).kind, 'written', JSON.stringify(key))
  }
  const reports = new Map<string, string>()
  const watch = one.keyValue.watch((key, entry) => reports.set(key, Buffer.from(entry?.value ?? []).toString()))
  await watch.ready
  for (const key of [...keys, ...stranger]) {
    const read = await one.keyValue.get(key)
    const value = read.kind === 'found' ? String(Buffer.from(read.entry.value)) : read.kind
    assert.equal(value, JSON.stringify(key))
    assert.equal(reports.get(key), JSON.stringify(key))
  }
  assert.equal(reports.size, keys.length + stranger.length)
  const long = 'k'.repeat(1_025)
  assert.deepEqual(await one.keyValue.put(long, bytes('')), { kind: 'failed', error: 'too large' })
  assert.deepEqual(await one.keyValue.get(long), { kind: 'missing' })
})

test('a value over the bus’s limit is refused as too large, and the connection stays', async () => {
  await using server = await startNatsServer({ jetstream: true, maxPayload: 64 * 1024 })
  await using one = await openedBucket(server)
  const tooLarge = { kind: 'failed', error: 'too large' } as const
  assert.deepEqual(await one.keyValue.put('key', new Uint8Array(64 * 1024 + 1)), tooLarge)
  // The header counts too.
  assert.deepEqual(await one.keyValue.update('key', new Uint8Array(64 * 1024), 0), tooLarge)
  assert.equal((await one.keyValue.put('key', new Uint8Array(64 * 1024))).kind, 'written')
  assert.equal((await one.keyValue.get('key')).kind, 'found')
})

test('a full bucket refuses new values and keeps the old values', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { maxBytes: 10_000 })
  assert.equal((await one.keyValue.put('a', new Uint8Array(6_000))).kind, 'written')
  assert.deepEqual(await one.keyValue.put('b', new Uint8Array(6_000)), { kind: 'failed', error: 'full' })
  assert.equal((await one.keyValue.get('a')).kind, 'found')
  // A smaller value, or a deletion, makes room.
  assert.equal((await one.keyValue.put('a', new Uint8Array(3_000))).kind, 'written')
  assert.equal((await one.keyValue.put('b', new Uint8Array(6_000))).kind, 'written')
  assert.equal((await one.keyValue.delete('b')).kind, 'written')
  assert.equal((await one.keyValue.put('c', new Uint8Array(6_000))).kind, 'written')
})

test('a server killed with -9 and started again still has the values of a file bucket', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  const { revision } = writtenOf(await one.keyValue.put('key', bytes('kept')))
  await server.kill('SIGKILL')
  await untilTrue(async () => (await one.keyValue.put('key', bytes('lost'))).kind === 'failed')
  await server.restart()
  await untilTrue(async () => (await one.keyValue.get('key')).kind !== 'failed')
  assert.deepEqual(await one.keyValue.get('key'), { kind: 'found', entry: { value: bytes('kept'), revision } })
  assert.equal((await one.keyValue.update('key', bytes('more'), revision)).kind, 'written')
})

test('a bucket in memory that a restart lost is made again', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { storage: 'memory' })
  assert.equal((await one.keyValue.put('key', bytes('a'))).kind, 'written')
  await server.restart()
  await untilTrue(async () => (await one.keyValue.get('key')).kind === 'missing')
  assert.equal((await one.keyValue.put('key', bytes('b'))).kind, 'written')
})

test('a deleted bucket is made again by the next write and the next read', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  for (const operation of ['put', 'get'] as const) {
    assert.equal((await one.keyValue.put('key', bytes('a'))).kind, 'written')
    await one.connection.request('$JS.API.STREAM.DELETE.KV_llm_test', undefined, PATIENT)
    if (operation === 'put') assert.equal((await one.keyValue.put('key', bytes('b'))).kind, 'written')
    else assert.deepEqual(await one.keyValue.get('key'), { kind: 'missing' })
  }
})

test('without a store every outcome is "unavailable", at once and logged once', async () => {
  await using server = await startNatsServer()
  await using one = await openedBucket(server)
  const { keyValue } = one
  const unavailable = { kind: 'failed', error: 'unavailable' } as const
  assert.deepEqual((await one.logged('key-value store not available')).fields, { bucket: 'llm_test', code: 'NO_STORE' })
  assert.deepEqual(await keyValue.get('key'), unavailable)
  assert.deepEqual(await keyValue.put('key', bytes('')), unavailable)
  assert.deepEqual(await keyValue.update('key', bytes(''), 0), unavailable)
  assert.deepEqual(await keyValue.delete('key'), unavailable)
  assert.equal(one.lines.total, 1)
})

test('a store that the bus gets later is found without a new connection', async () => {
  await using server = await startNatsServer()
  await using one = await openedBucket(server)
  await one.logged('key-value store not available')
  const { port, token } = server
  await server.stop()
  await using later = await startNatsServer({ port, token, jetstream: true })
  await one.logged('key-value store available')
  assert.equal((await one.keyValue.put('key', bytes('a'))).kind, 'written')
  assert.equal(later.port, port)
  assert.equal(one.lines.total, 2)
})

test('a store with no room for the bucket is unavailable until there is room', async () => {
  await using server = await startNatsServer({ extra: 'jetstream { max_mem: 1MB, max_file: 1MB }' })
  await using big = await openedBucket(server, { bucket: 'big', storage: 'memory', maxBytes: 900_000 })
  assert.equal((await big.keyValue.put('key', bytes('a'))).kind, 'written')
  await using one = await openedBucket(server, { storage: 'memory', maxBytes: 900_000 })
  assert.deepEqual((await one.logged('key-value store not available')).fields, {
    bucket: 'llm_test',
    code: 'STORE_10028',
  })
  await big.connection.request('$JS.API.STREAM.DELETE.KV_big', undefined, PATIENT)
  await one.logged('key-value store available')
  assert.equal((await one.keyValue.put('key', bytes('a'))).kind, 'written')
})

test('a bucket made with other settings is used as it is', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('key', bytes('a'))
  await using other = await openedBucket(server, { maxBytes: 2_000_000, ttlMs: 60_000 })
  assert.equal((await other.keyValue.get('key')).kind, 'found')
  assert.equal(other.lines.total, 0)
})

test('after the connection was closed no operation rejects', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const { keyValue, connection } = await openedBucket(server)
  const watch = keyValue.watch(() => undefined)
  await watch.ready
  await connection.close()
  assert.equal((await keyValue.get('key')).kind, 'failed')
  assert.equal((await keyValue.put('key', bytes('a'))).kind, 'failed')
  await keyValue.watch(() => undefined).close()
  await watch.close()
})

test('a bus that stops answering costs an operation two seconds, not more', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('key', bytes('a'))
  await server.kill('SIGSTOP')
  assert.deepEqual(await one.keyValue.get('key'), { kind: 'failed', error: 'unavailable' })
  await server.kill('SIGCONT')
  await untilTrue(async () => (await one.keyValue.get('key')).kind === 'found')
})

test('the buckets of several processors fit the limits of the shipped configuration', async () => {
  await using server = await startNatsServer({ extra: 'jetstream { max_mem: 64MB, max_file: 1GB }' })
  for (const [bucket, megabytes] of [
    ['mock', 256],
    ['broker', 4],
    ['caps', 16],
  ] as const) {
    await using one = await openedBucket(server, { bucket, maxBytes: megabytes * 1024 * 1024 })
    assert.equal((await one.keyValue.put('key', bytes(bucket))).kind, 'written')
  }
})

test('the rights that the shipped configuration shows for processors are enough', async () => {
  const publish = '["_INBOX.>", "$JS.API.>", "$JS.ACK.>", "$KV.>"]'
  const subscribe = '{ allow: ["llm.gl.>", "_INBOX.>"], deny: ["llm.gl.logger"] }'
  const user = `{ user: "p", password: "p", permissions: { publish: ${publish}, subscribe: ${subscribe} } }`
  await using server = await startNatsServer({
    jetstream: true,
    token: undefined,
    extra: `authorization { users: [ ${user} ] }`,
  })
  await using one = await openedBucket(server, {}, { user: 'p', pass: 'p' })
  const { reports, watch } = watched(one.keyValue)
  await watch.ready
  assert.equal((await one.keyValue.put('key', bytes('a'))).kind, 'written')
  assert.equal((await one.keyValue.get('key')).kind, 'found')
  assert.deepEqual(await reports.waitForCount(1), [['key', 'a']])
})

function writtenOf(outcome: Awaited<ReturnType<Awaited<ReturnType<typeof openedBucket>>['keyValue']['put']>>) {
  assert.equal(outcome.kind, 'written')
  return outcome.kind === 'written' ? outcome : { revision: 0 }
}

/** Repeats a check until it holds; each check is a round trip to the bus or waits for it. */
async function untilTrue(holds: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 60_000
  while (!(await holds())) {
    assert.ok(Date.now() < until, 'the condition does not hold in time')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
