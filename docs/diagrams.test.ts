import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import mermaid from 'mermaid'
import { blocksOf } from './generate/blocks.ts'
import { isObject } from './generate/values.ts'

const pages = globSync('**/*.md', { cwd: import.meta.dirname, exclude: ['node_modules', 'dist'] })
  .map(String)
  .sort()
const diagrams = pages
  .flatMap((page) => blocksOf(page, readFileSync(join(import.meta.dirname, page), 'utf8')))
  .filter(({ kind }) => kind === 'mermaid')

await standInForBrowser()

test('every diagram is one that Mermaid can read', async () => {
  assert.ok(diagrams.length >= 7)
  for (const { page, line, text } of diagrams) {
    await assert.doesNotReject(async () => mermaid.parse(text), `${page}:${line}`)
  }
})

test('a diagram with a mistake is found', async () => {
  await assert.rejects(async () => mermaid.parse('flowchart LR\n  a[open --> b'), /Parse error/)
})

/** Replaces the browser's part of the package that cleans Mermaid's texts; the grammar itself needs no browser. */
async function standInForBrowser(): Promise<void> {
  const file = join(import.meta.dirname, 'node_modules/dompurify/dist/purify.es.mjs')
  const { default: purify }: { readonly default: unknown } = await import(pathToFileURL(file).href)
  assert.ok(isObject(purify) || typeof purify === 'function')
  Object.assign(purify, { addHook: () => undefined, sanitize: (text: string) => text })
}
