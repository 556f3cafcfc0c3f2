import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLogger } from '@llm-gateway/conf'
import {
  createKubeClient,
  createTransport,
  type KubeAccess,
  type KubeClient,
  loadKubeAccess,
  type Transport,
  TransportError,
} from '@llm-gateway/kube'
import { type ApiServer, startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { FIELD_MANAGER } from '../model/names.ts'
import { joinElection } from './join-election.ts'
import { type Leadership, type LeaseTimings, startLeaderElection } from './leader-election.ts'
import { microTime } from './lease-record.ts'

// Rules: docs/reference/kubernetes.md#lease

const NAME = 'llm-gateway-operator'
/** Short, yet longer than a call to a busy API server. */
const SHORT: LeaseTimings = { durationMs: 8_000, renewDeadlineMs: 6_000, retryMs: 100 }
/** Timings of a process that must keep its Lease. */
const LASTING: LeaseTimings = { ...SHORT, renewDeadlineMs: 300_000 }
const LOOK_MS = 2_000
const PATIENCE_MS = 120_000

test('a MicroTime always has six decimal places', () => {
  const ms = Date.parse('2026-01-02T03:04:05.006Z')
  assert.equal(microTime(ms), '2026-01-02T03:04:05.006000Z')
  assert.equal(microTime(ms + 0.25), '2026-01-02T03:04:05.006250Z')
})

describe('an election on a real API server', { skip: whyNoApiServer(process.env) }, () => {
  let server: ApiServer
  let access: KubeAccess
  let transport: Transport
  const lines: string[] = []
  const logger = createLogger({ service: 'test', write: (line) => lines.push(line) })
  const open: Leadership[] = []
  before(async () => {
    server = await startApiServer()
    access = await loadKubeAccess(server.kubeconfig)
    transport = createTransport({ access })
  })
  after(async () => {
    await Promise.all(open.map((candidate) => candidate.release()))
    await transport?.close()
    await server?.close()
  })

  /** Makes a namespace for the Lease of one test. */
  const place = async (namespace: string) => {
    await server.kubectl(['create', 'namespace', namespace])
    return { namespace, name: NAME }
  }
  const holder = async (namespace: string): Promise<ReturnType<typeof JSON.parse>> =>
    JSON.parse((await server.kubectl(['-n', namespace, 'get', 'lease', NAME, '-o', 'json'])).stdout).spec
  const untilElected = async (one: Leadership): Promise<void> => {
    assert.equal(await Promise.race([one.elected, timeout(PATIENCE_MS)]), undefined)
  }

  test('one of two operators leads; when it releases the Lease the other leads before the Lease expires', async () => {
    const lease = await place('graceful')
    const lost = (): void => assert.fail('nobody loses the Lease')
    const first = joinElection(access, { identity: 'a', lease, lost }, logger)
    await untilElected(first)
    assert.deepEqual([first.isLeading, first.mayWrite()], [true, true])
    const spec = await holder('graceful')
    assert.deepEqual([spec.holderIdentity, spec.leaseDurationSeconds], ['a', 15])
    assert.match(spec.renewTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

    const second = joinElection(access, { identity: 'b', lease, lost }, logger)
    open.push(second)
    assert.deepEqual([second.isLeading, second.mayWrite()], [false, false])
    await timeout(LOOK_MS)
    assert.equal(second.isLeading, false)
    await first.release()
    assert.equal(first.mayWrite(), false)
    await untilElected(second)
    assert.equal(second.predecessor, undefined, 'the Lease was free')
    const after = await holder('graceful')
    assert.deepEqual([after.holderIdentity, after.leaseTransitions, after.leaseDurationSeconds], ['b', 1, 15])
  })

  test('a standby leads when the Lease of a silent leader has expired, not before, and the old leader has stopped by then', async () => {
    const lease = await place('silent')
    let reachable = true
    const lostAt = Promise.withResolvers<number>()
    const client = cuttable(createKubeClient(transport, FIELD_MANAGER), () => reachable)
    const first = startLeaderElection({
      client,
      identity: 'a',
      lease,
      logger,
      timings: SHORT,
      lost: () => lostAt.resolve(performance.now()),
    })
    await untilElected(first)
    const second = startLeaderElection({
      client: createKubeClient(transport, FIELD_MANAGER),
      identity: 'b',
      lease,
      logger,
      timings: LASTING,
      lost: () => assert.fail('b keeps the Lease'),
    })
    open.push(first, second)
    reachable = false
    const cutAt = performance.now()
    await untilElected(second)
    const ledAt = performance.now()
    assert.ok((await lostAt.promise) < ledAt, 'the first operator had stopped before the second began')
    assert.deepEqual([first.mayWrite(), first.predecessor, second.predecessor], [false, undefined, 'a'])
    assert.ok(ledAt - cutAt >= SHORT.durationMs - 2 * SHORT.retryMs, `${ledAt - cutAt} ms`)
  })

  test('a process that was suspended for longer than its Lease may not write any more and is told to end', async () => {
    const lease = await place('stopped')
    let jumpMs = 0
    let losses = 0
    const first = startLeaderElection({
      client: createKubeClient(transport, FIELD_MANAGER),
      identity: 'a',
      lease,
      logger,
      lost: () => {
        losses += 1
      },
      clock: () => performance.now() + jumpMs,
    })
    open.push(first)
    await untilElected(first)
    const guarded = createTransport({ access, mayWrite: first.mayWrite })
    const write = () =>
      createKubeClient(guarded, FIELD_MANAGER).create({ kind: 'ConfigMap', ...lease }, configMap(lease))
    try {
      assert.equal((await write()).kind, 'written')
      jumpMs = 10_000
      await assert.rejects(write(), (error) => error instanceof TransportError && error.code === 'NOT_LEADING')
      await assert.rejects(write())
      assert.equal(losses, 1)
      const read = await createKubeClient(guarded, FIELD_MANAGER).get({ kind: 'ConfigMap', ...lease })
      assert.equal(read?.kind, 'written', 'reading goes on')
    } finally {
      await guarded.close()
    }
  })

  test('a leader loses a Lease with another holder at once, and keeps a Lease in which another field changed', async () => {
    const lease = await place('taken')
    const lost = Promise.withResolvers<void>()
    const client = createKubeClient(transport, FIELD_MANAGER)
    const first = startLeaderElection({
      client,
      identity: 'a',
      lease,
      logger,
      timings: LASTING,
      lost: () => lost.resolve(),
    })
    open.push(first)
    await untilElected(first)
    await client.merge({ kind: 'Lease', ...lease }, { metadata: { labels: { touched: 'yes' } } })
    const before = await holder('taken')
    while ((await holder('taken')).renewTime === before.renewTime) await timeout(SHORT.retryMs)
    assert.equal(first.isLeading, true)
    await client.merge({ kind: 'Lease', ...lease }, { spec: { holderIdentity: 'b' } })
    await lost.promise
    assert.equal(first.mayWrite(), false)
  })

  test('an operator that comes back under its name takes its Lease up without waiting', async () => {
    const lease = await place('again')
    const client = createKubeClient(transport, FIELD_MANAGER)
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 6_000, leaseTransitions: 4 }
    await client.create({ kind: 'Lease', ...lease }, { ...configMap(lease), ...LEASE, spec })
    const again = startLeaderElection({ client, identity: 'a', lease, logger, lost: () => undefined })
    open.push(again)
    await untilElected(again)
    assert.equal((await holder('again')).leaseTransitions, 4)
  })
})

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }

function configMap(metadata: object): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata }
}

function timeout(ms: number): Promise<'timeout'> {
  return pause(ms, 'timeout' as const, { ref: false })
}

/** Makes a client whose network can be cut. */
function cuttable(client: KubeClient, reachable: () => boolean): KubeClient {
  const check = (): void => {
    if (!reachable()) throw new TransportError('ECONNREFUSED', undefined)
  }
  return {
    ...client,
    get: async (place) => {
      check()
      return client.get(place)
    },
    merge: async (place, patch) => {
      check()
      return client.merge(place, patch)
    },
  }
}
