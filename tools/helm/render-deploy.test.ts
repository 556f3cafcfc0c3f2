import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chartDefinitions } from './chart-definitions.ts'
import { whyNoHelm } from './helm.ts'
import { renderDeploy } from './render-deploy.ts'

const root = join(import.meta.dirname, '../..')
const skip = process.env.CI === 'true' ? false : (whyNoHelm(root) ?? false)

test('operator/deploy is what the chart renders, file by file: `make generate` leaves no diff', { skip }, async () => {
  const rendered = await renderDeploy(root)
  const folder = join(root, 'operator/deploy')
  assert.deepEqual([...rendered.keys()].sort(), globSync('**/*.yaml', { cwd: folder }).sort())
  for (const [file, text] of rendered) assert.equal(readFileSync(join(folder, file), 'utf8'), text, file)
})

test('both charts have the generated CRDs and no others', () => {
  const definitions = chartDefinitions(root)
  assert.equal(definitions.size, 6)
  assert.deepEqual(
    [...definitions.keys()].sort(),
    globSync('charts/*/{crds,files}/llmgateway.io_*.yaml', { cwd: root }).sort(),
  )
  for (const [file, text] of definitions) assert.equal(readFileSync(join(root, file), 'utf8'), text, file)
})
