import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from './run-program.ts'

const PLACE = { cwd: import.meta.dirname, environment: process.env }

test('a program that fails is named, with the ends of its output and of its errors', async () => {
  const script = 'console.log("x".repeat(9000) + " reason"); console.error("error"); process.exit(3)'
  await assert.rejects(runProgram([process.execPath, '-e', script], PLACE), ({ message }: Error) => {
    assert.match(message, /^release: .* failed: x+ reason\nerror\n$/s)
    return message.length < 9_000
  })
})

test('a program that is not there is named', async () => {
  await assert.rejects(runProgram(['/nowhere/program'], PLACE), /release: \/nowhere\/program failed: .*ENOENT/)
})
