import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { IdleBound } from './idle-bound.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const KIB = 1024
/** The bytes of an idle connection. */
const PLAIN = 40 * KIB

type Crowd = { readonly origin: string; readonly count: number; readonly isWanted?: boolean }

function open(bound: IdleBound, { origin, count, isWanted = false }: Crowd) {
  return Array.from({ length: count }, () => {
    const socket = new Socket().on('error', () => undefined)
    const place = bound.open({ socket, origin, isWanted })
    socket.on('close', () => place.close())
    return { socket, place }
  })
}

const left = (crowd: readonly { readonly socket: Socket }[]): number =>
  crowd.filter(({ socket }) => !socket.destroyed).length

test('beyond the bound of idle connections, the LLM API with the most of them loses some', () => {
  const bound = new IdleBound(100 * PLAIN)
  const few = open(bound, { origin: 'http://few', count: 10 })
  for (const { place } of few) place.noteIdle()
  const many = open(bound, { origin: 'http://many', count: 1_000 })
  for (const { place } of many) place.noteIdle()
  const kept = left(many)
  assert.equal(left(few), few.length)
  assert.ok(kept >= 26 && kept <= 90, `${kept} connections`)
})

test('connections that are busy again, or closed, are no idle ones', async () => {
  const bound = new IdleBound(10 * PLAIN)
  const crowd = open(bound, { origin: 'http://a', count: 100 })
  for (const { place } of crowd) {
    place.noteIdle()
    place.noteIdle()
    place.noteBusy()
  }
  assert.equal(left(crowd), crowd.length)
  const idle = open(bound, { origin: 'http://a', count: 10 })
  for (const { place } of idle) place.noteIdle()
  for (const { socket } of idle) socket.destroy()
  await new Promise((resolve) => idle.at(-1)?.socket.on('close', resolve))
  const next = open(bound, { origin: 'http://a', count: 10 })
  for (const { place } of next) place.noteIdle()
  assert.equal(left(next), next.length)
})

test('a connection that a call awaits is not ended', () => {
  const bound = new IdleBound(10 * PLAIN)
  const awaited = open(bound, { origin: 'http://a', count: 20, isWanted: true })
  const others = open(bound, { origin: 'http://a', count: 1 })
  for (const { place } of [...awaited, ...others]) place.noteIdle()
  assert.deepEqual([left(awaited), left(others)], [20, 0])
})

test('at most 64 connections end when one becomes idle, and none when one becomes busy', () => {
  const bound = new IdleBound(10 * PLAIN)
  let isWanted = true
  let ends = 0
  const places = Array.from({ length: 200 }, () => {
    const socket = new Socket().on('error', () => undefined)
    const { destroy } = socket
    socket.destroy = (error) => {
      ends += 1
      return destroy.call(socket, error)
    }
    return bound.open({
      socket,
      origin: 'http://a',
      get isWanted() {
        return isWanted
      },
    })
  })
  for (const place of places) place.noteIdle()
  assert.equal(ends, 0)
  isWanted = false
  places[0]?.noteBusy()
  assert.equal(ends, 0)
  places[0]?.noteIdle()
  assert.equal(ends, 64)
})
