import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedPages } from './pages.ts'

for (const [file, text] of generatedPages()) {
  test(`docs/reference/${file} is what the code generates`, () => {
    assert.equal(readFileSync(join(import.meta.dirname, '../reference', file), 'utf8'), text, 'run `make generate`')
  })
}
