import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TurnQueue } from '../work/turn-queue.ts'
import { CallerSignal } from './caller-signal.ts'

const MOST = 4

test('the calls of callers that leave together are cancelled a few in each turn, and are marked at once', async () => {
  const queue = new TurnQueue(MOST)
  const responses = Array.from({ length: 10 }, () => new ServerResponse(new IncomingMessage(new Socket())))
  const cancelled: number[] = []
  const signals = responses.map((response, index) => {
    const signal = new CallerSignal(response, { cancels: queue, router: '/crowd/' })
    signal.onCancel(() => cancelled.push(index))
    return signal
  })
  for (const response of responses) response.emit('close')
  assert.ok(signals.every((signal) => signal.cancelled))
  let late = false
  signals.at(-1)?.onCancel(() => {
    late = true
  })
  assert.ok(late)
  while (cancelled.length < responses.length) {
    const before = cancelled.length
    await nextTurn()
    assert.ok(cancelled.length - before <= MOST)
  }
  assert.deepEqual(cancelled, [...responses.keys()])
})

test('the calls of a router are cancelled among the first, though hundreds of another router wait', async () => {
  const cancels = new TurnQueue(MOST)
  const cancelled: string[] = []
  for (const router of [...Array.from({ length: 300 }, () => '/crowd/'), '/few/']) {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    new CallerSignal(response, { cancels, router }).onCancel(() => cancelled.push(router))
    response.emit('close')
  }
  await nextTurn()
  assert.ok(cancelled.includes('/few/'))
})
