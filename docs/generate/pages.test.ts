import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import GithubSlugger from 'github-slugger'
import { generatedPages } from './pages.ts'

test('each row of a page has an anchor of its own, which is no heading of the page', () => {
  for (const [file, text] of generatedPages()) {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      new GithubSlugger().slug(title.replaceAll('`', '')),
    )
    const rows = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)
    assert.ok(rows.length > 5, file)
    const all = [...headings, ...rows]
    assert.deepEqual(
      all.filter((id, at) => all.indexOf(id) !== at),
      [],
      file,
    )
  }
})

for (const [file, text] of generatedPages()) {
  test(`docs/reference/${file} is what the code generates`, () => {
    assert.equal(readFileSync(join(import.meta.dirname, '../reference', file), 'utf8'), text, 'run `make generate`')
  })
}
