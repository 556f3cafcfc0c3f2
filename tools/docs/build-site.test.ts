import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSite } from './build-site.ts'

const root = join(import.meta.dirname, '../..')

test('the site is built and has a page for each page of docs/', async () => {
  const said: string[] = []
  assert.ok(await buildSite({ root, environment: process.env, say: (line) => said.push(line) }), said.join('\n'))
  const pages = globSync('**/*.md', { cwd: join(root, 'docs'), exclude: ['node_modules', 'dist'] }).map(String)
  assert.ok(pages.length > 20)
  assert.deepEqual(
    pages.filter((page) => !existsSync(join(root, 'docs/dist', page.replace(/\.md$/, '.html')))),
    [],
  )
})

test('a diagram of a page is left for the browser to draw', () => {
  const page = readFileSync(join(root, 'docs/dist/index.html'), 'utf8')
  assert.match(page, /<pre class="mermaid">/)
  assert.ok(existsSync(join(root, 'docs/dist/mermaid/mermaid.esm.min.mjs')))
})
