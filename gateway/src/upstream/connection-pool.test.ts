import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listen } from '@llm-gateway/test/fake/listen'
import symbols from 'undici/lib/core/symbols.js'
import poolBase from 'undici/lib/dispatcher/pool-base.js'
import { ConnectionAttempt } from './connection-attempt.ts'
import { OwnEnds } from './own-ends.ts'
import { type ConnectFor, ConnectionPool } from './undici-upstream.ts'

const CALLS = 300

const open: ConnectFor = (_, { port, hostname }, callback) => {
  const attempt = new ConnectionAttempt(callback, {
    origin: 'http://a',
    timeoutMs: 60_000,
    ends: new OwnEnds(symbols.kDestroyed),
  })
  const socket = connect(Number(port), hostname, () => attempt.end(null, socket))
  attempt.follow(socket.on('error', (error) => attempt.end(error, null)))
  return attempt
}

/** Returns the answer's status. */
function call(pool: ConnectionPool): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0
    pool.dispatch(
      { path: '/', method: 'GET' },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => {
          answered = status
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(answered),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

test('a pool doesn’t keep a client for each of the most connections that it had at once', async (t) => {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => {
    if (waiting.push(response) > CALLS) response.end()
    if (waiting.length !== CALLS) return
    for (const each of waiting.slice(1)) each.writeHead(200, { connection: 'close' }).end()
  })
  t.after(() => server.close())
  const pool = new ConnectionPool(`http://127.0.0.1:${await listen(server)}`, { pipelining: 1, allowH2: false }, open)
  t.after(() => pool.destroy())
  let lost = 0
  pool.on('disconnect', () => {
    lost += 1
  })
  const running = call(pool)
  await Promise.all(Array.from({ length: CALLS - 1 }, () => call(pool)))
  while (lost < CALLS - 1) await nextTurn()
  const kept = pool[poolBase.kClients].length
  assert.ok(kept <= 64, `${kept} clients`)
  waiting[0]?.end()
  assert.deepEqual([await running, await call(pool)], [200, 200])
})

test('a pool closes its idle connections some in each turn', async (t) => {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => {
    if (waiting.push(response) === CALLS) for (const each of waiting) each.end()
  })
  t.after(() => server.close())
  const pool = new ConnectionPool(`http://127.0.0.1:${await listen(server)}`, { pipelining: 1, allowH2: false }, open)
  await Promise.all(Array.from({ length: CALLS }, () => call(pool)))
  const clients = [...pool[poolBase.kClients]]
  const destroyed = (): number => clients.filter((client) => client.destroyed).length
  const closed = pool.close()
  let most = 0
  for (let before = 0; before < CALLS; ) {
    await nextTurn()
    const now = destroyed()
    most = Math.max(most, now - before)
    before = now
  }
  // The immediates of the pool and of this test share a turn, so that one look may see two portions.
  assert.ok(most <= 128, `${most} clients were destroyed in one turn`)
  await closed
})
