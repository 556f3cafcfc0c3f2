import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from './program.ts'

test('started programs add no exit listener each to this process', async () => {
  const before = process.listenerCount('exit')
  for (let count = 0; count < 3; count += 1) {
    const program = await startProgram({ command: process.execPath, args: ['--version'] })
    assert.deepEqual(await program.exited, { code: 0, signal: null })
  }
  assert.equal(process.listenerCount('exit'), before)
})
