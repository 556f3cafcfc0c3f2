import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chartFiles } from './chart-files.ts'
import { undescribedValues } from './described-values.ts'
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

test('the generated files of the charts are up to date, and there is no other CRD or source of the demo LLM', () => {
  const files = chartFiles(root)
  for (const [file, text] of files) assert.equal(readFileSync(join(root, file), 'utf8'), text, file)
  const there = globSync('charts/*/{crds/*,files/*.yaml,files/demo-llm/*}', { cwd: root })
  const ours = there.filter((file) => !file.endsWith('alerts.yaml'))
  assert.ok(ours.length === 10)
  for (const file of ours) assert.ok(files.has(file), file)
})

test('every value of both charts is described', () => {
  for (const chart of ['llm-gateway', 'llm-gateway-crds']) {
    assert.deepEqual(undescribedValues(join(root, 'charts', chart)), [], chart)
  }
})
