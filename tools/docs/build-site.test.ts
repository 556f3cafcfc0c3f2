import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSite, siteSources } from './build-site.ts'

const root = join(import.meta.dirname, '../..')

test('a change of a page, of the site’s settings or of its theme builds the site again', () => {
  const sources = siteSources(root)
  const needed = [
    'docs/index.md',
    'docs/.vitepress/config.js',
    'docs/.vitepress/theme/index.js',
    'deploy/compose/README.md',
  ]
  assert.deepEqual(
    needed.filter((path) => !sources.includes(path)),
    [],
  )
})

test('the site is built and has a page for each page of docs/', async () => {
  const outputLines: string[] = []
  assert.ok(
    await buildSite({ root, environment: process.env, say: (line) => outputLines.push(line) }),
    outputLines.join('\n'),
  )
  const pages = globSync('**/*.md', { cwd: join(root, 'docs'), exclude: ['node_modules', 'dist'] }).map(String)
  assert.ok(pages.length > 20)
  assert.deepEqual(
    pages.filter((page) => !existsSync(join(root, 'docs/dist', page.replace(/\.md$/, '.html')))),
    [],
  )
})

test('the site has the text of a page’s diagram and the library that draws it in the browser', () => {
  const page = readFileSync(join(root, 'docs/dist/index.html'), 'utf8')
  assert.match(page, /<pre class="mermaid">/)
  assert.ok(existsSync(join(root, 'docs/dist/mermaid/mermaid.esm.min.mjs')))
})

test('every link of the documentation leads somewhere on the site, headings included', () => {
  const site = join(root, 'docs/dist')
  const own = ['*', '{start,tasks,operations,reference,runbooks}/*'].map((pattern) => `${pattern}.html`)
  const pages = globSync(own, { cwd: site, exclude: ['ARCHITECTURE.html'] }).map(String)
  const links = pages.flatMap((page) => linksOf(page, readFileSync(join(site, page), 'utf8')))
  assert.ok(links.length > 500, String(links.length))
  assert.deepEqual(
    links.filter(({ target, heading }) => !hasTarget(site, target, heading)),
    [],
  )
})

type Link = { readonly page: string; readonly target: string; readonly heading: string }

function linksOf(page: string, html: string): readonly Link[] {
  const links = html.replaceAll(/<pre[\s\S]*?<\/pre>/g, '').matchAll(/<a[^>]* href="([^"]*)"/g)
  return [...links].flatMap(([, href = '']) => {
    const { host, pathname, hash } = new URL(href, `http://site/${page}`)
    const [target, heading] = [decodeURIComponent(pathname), decodeURIComponent(hash.slice(1))]
    return host === 'site' ? [{ page, target, heading }] : []
  })
}

/** Returns whether the target is a page of the site and has the heading, if one is given. */
function hasTarget(site: string, target: string, heading: string): boolean {
  const file = [target, `${target}.html`, `${target}index.html`]
    .map((path) => join(site, path))
    .find((path) => path.endsWith('.html') && existsSync(path))
  return file !== undefined && (heading === '' || readFileSync(file, 'utf8').includes(`id="${heading}"`))
}
