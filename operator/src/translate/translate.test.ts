import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { goldenText, rejectedFields, shownText } from './golden-under-test.ts'

const folder = join(import.meta.dirname, '../../testdata')
const cases = globSync('**/*.in.yaml', { cwd: folder }).sort()

test('there are goldens, and many of them hold planted secrets', () => {
  assert.ok(cases.length > 80)
  assert.ok(cases.filter((file) => readFileSync(join(folder, file), 'utf8').includes('planted')).length > 5)
})

for (const file of cases) {
  const input = readFileSync(join(folder, file), 'utf8')
  test(`${file.replace('.in.yaml', '')}: ${parse(input).title}`, () => {
    assert.equal(goldenText(input), readFileSync(join(folder, file.replace('.in.', '.out.')), 'utf8'))
  })

  test(`${file.replace('.in.yaml', '')}: the gateway rejects nothing of it`, () => {
    assert.deepEqual(rejectedFields(input), {})
  })

  test(`${file.replace('.in.yaml', '')}: planted secrets are in no file and no status`, () => {
    assert.doesNotMatch(shownText(input), /planted/)
  })
}
