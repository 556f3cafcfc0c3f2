import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from './program.ts'

test('many started programs share one listener for the end of this process', async () => {
  const before = process.listenerCount('exit')
  for (let count = 0; count < 3; count += 1) {
    const program = await startProgram({ command: process.execPath, args: ['--version'] })
    assert.deepEqual(await program.exited, { code: 0, signal: null })
  }
  assert.equal(process.listenerCount('exit'), before)
})
