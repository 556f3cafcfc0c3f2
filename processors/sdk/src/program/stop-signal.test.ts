import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { stopped, stopSignal } from './stop-signal.ts'

test('SIGTERM and SIGINT ask the program to end, once or twice', async () => {
  for (const name of ['SIGTERM', 'SIGINT']) {
    const source = new EventEmitter()
    const signal = stopSignal(source)
    assert.equal(signal.aborted, false)
    const waiting = stopped(signal)
    source.emit(name)
    source.emit(name)
    await waiting
    await stopped(signal)
    assert.equal(signal.aborted, true)
  }
})
