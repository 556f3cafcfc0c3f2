import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildPage } from '../../tools/gui/build-page.ts'

const ROOT = join(import.meta.dirname, '../..')
const DIST = join(ROOT, 'gateway/gui/web/dist')
const MOST_KB = 350

before(async () => {
  const outputLines: string[] = []
  const built = await buildPage({ root: ROOT, environment: process.env, say: (line) => outputLines.push(line) })
  assert.ok(built, outputLines.join('\n'))
})

test('the page is at most 350 KB, compressed, before an editor is opened', () => {
  const index = readFileSync(join(DIST, 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(named.some((path) => path.endsWith('.js')))
  const parts = ['/index.html', ...named].map((path) => gzipSync(readFileSync(join(DIST, path))).length)
  const bytes = parts.reduce((sum, one) => sum + one, 0)
  assert.ok(bytes <= MOST_KB * 1_000, `${bytes} bytes`)
})

test('the page loads nothing from elsewhere and has no script or style in its document', () => {
  const index = readFileSync(join(DIST, 'index.html'), 'utf8')
  assert.doesNotMatch(index, /(src|href)="(?!\/)/)
  assert.doesNotMatch(index, /<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/)
})
