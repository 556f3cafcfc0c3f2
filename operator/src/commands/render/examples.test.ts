import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runRender } from '../run-render.ts'

const folder = join(import.meta.dirname, '../../../../examples/kubernetes')

test('the resources that the README shows work together as they are', () => {
  const { code, stdout, stderr } = runRender({ folder, output: undefined, values: false, image: 'llm-gateway:0.1.0' })
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n').slice(1)
  assert.equal(lines.length, 4)
  for (const line of lines) assert.match(line, /\bProgrammed$/)
})
