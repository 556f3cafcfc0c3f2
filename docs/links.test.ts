import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const MODULES = join(ROOT, 'docs/node_modules')
const PAGES = [
  'docs',
  'examples',
  'processors',
  'charts',
  'deploy',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
]

/** Runs remark-validate-links, which reports links to missing files and headings. */
function brokenLinks(
  folder: string,
  pages: readonly string[],
): { readonly code: number | null; readonly said: string } {
  const plugin = `${join(MODULES, 'remark-validate-links/index.js')}=repository:false`
  const rows = join(ROOT, 'docs/.vitepress/row-anchors.js')
  const options = [
    '--frail',
    '--quiet',
    '--no-stdout',
    '--no-color',
    '--no-config',
    '--no-ignore',
    '--use',
    rows,
    '--use',
    plugin,
  ]
  const ignored = ['--ignore-pattern', '**/node_modules/**']
  const args = [join(MODULES, 'remark-cli/cli.js'), ...options, ...ignored, ...pages]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return { code: status, said: stderr }
}

test('every link of a page leads to a file, and to a heading or a row of a table, that are there', () => {
  const { code, said } = brokenLinks(ROOT, PAGES)
  assert.equal(code, 0, said)
})

test('a link to a file or a heading that is gone is found', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-links-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'one.md'),
    '# One\n\n[file](gone.md) [heading](two.md#gone) [good](two.md#two) [row](two.md#A_ROW)\n',
  )
  writeFileSync(join(folder, 'two.md'), '# Two\n\n| a |\n| --- |\n| <a id="A_ROW" href="#A_ROW">`a`</a> |\n')
  const { code, said } = brokenLinks(folder, ['.'])
  assert.equal(code, 1)
  assert.match(said, /missing-file/)
  assert.match(said, /missing-heading-in-file/)
  assert.equal(said.split('\n').filter((line) => line.includes('warning Cannot')).length, 2)
})
