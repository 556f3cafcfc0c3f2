import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import symbols from 'undici/lib/core/symbols.js'
import util from 'undici/lib/core/util.js'
import { OwnEnds } from './own-ends.ts'

const MANY = 300
const MOST = 32

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}

type Scene = { readonly isWanted?: boolean; readonly count?: number }

function open(ends: OwnEnds, { isWanted = false, count = MANY }: Scene = {}) {
  return Array.from({ length: count }, () => {
    const connection = { socket: new Socket().on('error', () => undefined), origin: 'http://a', step: 0 }
    ends.pace(connection, () => isWanted)
    return connection
  })
}

const destroyed = (connections: readonly { readonly socket: Socket }[]): number =>
  connections.filter(({ socket }) => socket.destroyed).length

for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_INFO', 'UND_ERR_DESTROYED']) {
  test(`of hundreds of connections that undici ends at once with ${code}, a turn ends some`, async () => {
    const connections = open(new OwnEnds(symbols.kDestroyed))
    for (const { socket } of connections) socket.destroy(coded(code))
    let [most, before] = [destroyed(connections), destroyed(connections)]
    while (before < MANY) {
      await nextTurn()
      const now = destroyed(connections)
      most = Math.max(most, now - before)
      before = now
    }
    assert.ok(most <= MOST, `${most} connections ended in one turn`)
  })
}

test('a few ends don’t wait, nor does a connection that breaks or that undici ends for a waiting call', () => {
  const few = open(new OwnEnds(symbols.kDestroyed), { count: 8 })
  for (const { socket } of few) socket.destroy(coded('UND_ERR_INFO'))
  assert.equal(destroyed(few), few.length)
  const broken = open(new OwnEnds(symbols.kDestroyed))
  for (const { socket } of broken) socket.destroy(coded('ECONNRESET'))
  assert.equal(destroyed(broken), MANY)
  const wanted = open(new OwnEnds(symbols.kDestroyed), { isWanted: true })
  for (const { socket } of wanted) socket.destroy(coded('UND_ERR_INFO'))
  assert.equal(destroyed(wanted), MANY)
})

test('a connection that goes on while its end waits stays open, unless its client is closed', async () => {
  for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_INFO', 'UND_ERR_DESTROYED']) {
    const ends = new OwnEnds(symbols.kDestroyed)
    const connections = open(ends)
    for (const { socket } of connections) socket.destroy(coded(code))
    const last = connections.at(-1)
    assert.ok(last !== undefined)
    last.step += 1
    while (destroyed(connections) < MANY - 1) await nextTurn()
    await nextTurn()
    assert.equal(last.socket.destroyed, code === 'UND_ERR_DESTROYED')
  }
})

test('undici can end a connection that went on while an earlier end waited', async () => {
  const connections = open(new OwnEnds(symbols.kDestroyed))
  for (const { socket } of connections) util.destroy(socket, coded('UND_ERR_INFO'))
  const last = connections.at(-1)
  assert.ok(last !== undefined)
  last.step += 1
  while (destroyed(connections) < MANY - 1) await nextTurn()
  await nextTurn()
  assert.equal(last.socket.destroyed, false)
  util.destroy(last.socket, coded('UND_ERR_HEADERS_TIMEOUT'))
  assert.equal(last.socket.destroyed, true)
})

test('the ends of one LLM API’s connections don’t hold up another’s', async () => {
  const ends = new OwnEnds(symbols.kDestroyed)
  for (const { socket } of open(ends)) socket.destroy(coded('UND_ERR_INFO'))
  let ended = false
  ends.add('http://b', () => {
    ended = true
  })
  assert.equal(ended, false)
  await nextTurn()
  await nextTurn()
  assert.equal(ended, true)
})
