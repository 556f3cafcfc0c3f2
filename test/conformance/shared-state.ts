import assert from 'node:assert/strict'
import { it } from 'node:test'
import { busOptions, connectBus, type KeyValueOptions } from '@llm-gateway/sdk'
import { connectBusClient } from '../fake/bus-client.ts'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

type State = { readonly nats: NatsServer; readonly program: StateProgram; readonly storage?: string }
export type StateProgram = { readonly installed: InstalledSdk; readonly path: string | undefined }
type Fields = Readonly<Record<string, unknown>>

const SUBJECT = 'llm.gl.state'
const BUCKET: KeyValueOptions = { bucket: 'llm_shared', maxBytes: 10_000, storage: 'file' }
/** Keys that a subject can't hold as they are: dots, wildcards, blanks, the empty key, half a surrogate pair. */
const KEYS = [
  '',
  '.',
  'a.b',
  '>',
  '*',
  ' ',
  '\r\nPUB x 0\r\n',
  '/pool/gpt4/',
  'ключ',
  '😀',
  '__proto__',
  '\ud83d',
  '=AA',
]
const written = (revision: number): Fields => ({ kind: 'written', error: '', revision })
const failed = (error: string): Fields => ({ kind: 'failed', error, revision: 0 })
const CONFLICT: Fields = { kind: 'conflict', error: '', revision: 0 }

/**
 * Tests the shared state of an SDK: a program of the installed package on a real bus, beside the SDK of the checkout.
 */
export function keepsSharedState(sdk: () => StateProgram): void {
  it('writes, reads, updates by revision and deletes an entry of shared state', async () => {
    await using nats = await startNatsServer({ jetstream: true })
    await using state = await startState({ nats, program: sdk() })
    const steps: readonly (readonly [Fields, Fields])[] = [
      [
        { operation: 'get', key: 'k' },
        { kind: 'missing', error: '' },
      ],
      [{ operation: 'put', key: 'k', value: 'a' }, written(1)],
      [
        { operation: 'get', key: 'k' },
        { kind: 'found', error: '', value: 'a', revision: 1 },
      ],
      [{ operation: 'update', key: 'k', value: 'b', revision: 0 }, CONFLICT],
      [{ operation: 'update', key: 'k', value: 'b', revision: 7 }, CONFLICT],
      [{ operation: 'update', key: 'k', value: 'b', revision: 1 }, written(2)],
      [{ operation: 'delete', key: 'k' }, written(3)],
      [
        { operation: 'get', key: 'k' },
        { kind: 'missing', error: '' },
      ],
      [{ operation: 'update', key: 'k', value: 'c', revision: 2 }, CONFLICT],
      [{ operation: 'update', key: 'k', value: 'c', revision: 0 }, written(4)],
      [{ operation: 'put', key: 'k'.repeat(1_025), value: '' }, failed('too large')],
      [
        { operation: 'get', key: 'k'.repeat(1_025) },
        { kind: 'missing', error: '' },
      ],
      [{ operation: 'put', key: 'full', value: 'x'.repeat(9_990) }, failed('full')],
    ]
    for (const [asked, answer] of steps) assert.deepEqual(await state.ask(asked), answer, JSON.stringify(asked))
  })

  it('shares entries of any key with the SDK of the checkout, and its watch reports them', async () => {
    await using nats = await startNatsServer({ jetstream: true })
    await using other = await openedBucket(nats)
    await using state = await startState({ nats, program: sdk() })
    for (const key of KEYS) {
      const value = `value of ${KEYS.indexOf(key)}`
      assert.equal((await state.ask({ operation: 'put', key, value })).kind, 'written', key)
      const read = await other.keyValue.get(key)
      assert.equal(read.kind === 'found' ? Buffer.from(read.entry.value).toString() : read.kind, value)
    }
    const known = await state.until((entries) => entries.size === KEYS.length)
    assert.deepEqual(new Set(known.keys()), new Set(KEYS))
    await other.keyValue.put('ключ', Buffer.from('changed'))
    await other.keyValue.delete('.')
    await state.until((entries) => entries.get('ключ') === 'changed' && !entries.has('.'))
  })

  it('forgets an entry of shared state whose time is over', async () => {
    await using nats = await startNatsServer({ jetstream: true })
    await using state = await startState({ nats, program: sdk() })
    assert.deepEqual(await state.ask({ operation: 'put', key: 'k', value: 'a', fading: true }), written(1))
    await state.until((entries) => entries.get('k') === 'a')
    await state.until((entries) => !entries.has('k'))
  })

  it('fails operations as unavailable on a bus without a store, and logs that once', async () => {
    await using nats = await startNatsServer()
    await using state = await startState({ nats, program: sdk() })
    for (let count = 0; count < 5; count += 1) {
      assert.deepEqual(await state.ask({ operation: 'put', key: 'k', value: 'a' }), failed('unavailable'))
    }
    assert.deepEqual(await state.ask({ operation: 'get', key: 'k' }), { kind: 'failed', error: 'unavailable' })
    const warnings = state.lines().filter((line) => line.includes('llm_shared'))
    assert.equal(warnings.length, 1, warnings.join('\n'))
    assert.match(warnings[0] ?? '', /NO_STORE.*key-value store not available/)
  })

  it('makes a bucket again that a killed bus has lost, and its watch goes on', async () => {
    await using nats = await startNatsServer({ jetstream: true })
    await using state = await startState({ nats, program: sdk(), storage: 'memory' })
    assert.deepEqual(await state.ask({ operation: 'put', key: 'before', value: 'a' }), written(1))
    await state.until((entries) => entries.has('before'))
    await nats.kill()
    await nats.restart()
    await state.until((entries) => !entries.has('before'))
    assert.equal((await state.ask({ operation: 'get', key: 'before' })).kind, 'missing')
    assert.equal((await state.ask({ operation: 'put', key: 'after', value: 'b' })).kind, 'written')
    await state.until((entries) => entries.get('after') === 'b')
  })
}

async function startState({ nats, program: { installed, path }, storage = 'file' }: State) {
  const left = new AsyncDisposableStack()
  const environment = { PATH: path, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token, STORAGE: storage }
  const program = left.use(await startProgram({ ...installed, args: [installed.state], environment }))
  await waitForLine(program, /processor initialized/)
  const ask = async (fields: Fields): Promise<Fields> => {
    await using client = await connectBusClient(nats)
    for (const end = performance.now() + 60_000; ; ) {
      try {
        const reply = await client.ask(SUBJECT, Buffer.from(JSON.stringify(fields)), 10_000)
        return JSON.parse(Buffer.from(reply).toString())
      } catch (error) {
        // After a restart of the bus the processor subscribes a moment later.
        if (performance.now() > end) throw error
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  const until = async (holds: (known: ReadonlyMap<string, unknown>) => boolean) => {
    const end = performance.now() + 60_000
    for (;;) {
      const known = new Map(Object.entries(Object((await ask({ operation: 'known' })).known)))
      if (holds(known)) return known
      assert.ok(performance.now() < end, `the condition never held for ${JSON.stringify([...known])}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return { ask, until, lines: () => program.lines.entries, [Symbol.asyncDispose]: () => left.disposeAsync() }
}

/** Opens the processors' bucket with the SDK of the checkout. */
async function openedBucket(nats: NatsServer) {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const options = busOptions({ GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token })
  assert.ok(options)
  const bus = await connectBus({ ...options, name: 'test', logger })
  assert.ok(bus)
  return { keyValue: bus.keyValue(BUCKET), [Symbol.asyncDispose]: () => bus.close() }
}
