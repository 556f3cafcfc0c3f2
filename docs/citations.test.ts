import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import GithubSlugger from 'github-slugger'

const ROOT = join(import.meta.dirname, '..')
/** `docs/reference/http.md#paths`, as comments name a page and its heading. */
const CITATION = /\bdocs\/(?:[a-z-]+\/)*[A-Za-z-]+\.md(?:#[\p{L}\p{N}_-]+)?/gu
const SOURCES = ['*.ts', '*.tsx', '*.js', '*.sh', '*.yaml', '*.conf', 'Makefile', 'Dockerfile']

/** Where a citation leads to no page, or to no heading of it. */
function brokenCitations(text: string): readonly string[] {
  return [...text.matchAll(CITATION)].map(([citation]) => citation).filter((citation) => !leads(citation))
}

function leads(citation: string): boolean {
  const [page = '', heading] = citation.split('#')
  // NAME stands for any page of a folder.
  if (page.endsWith('/NAME.md')) return true
  if (!existsSync(join(ROOT, page))) return false
  return heading === undefined || headingsOf(page).has(heading)
}

const known = new Map<string, ReadonlySet<string>>()

/** The headings of a page as links name them. */
function headingsOf(page: string): ReadonlySet<string> {
  const slugger = new GithubSlugger()
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '')
  const made = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => slugger.slug(title.replaceAll('`', '')))
  const headings = known.get(page) ?? new Set(made)
  known.set(page, headings)
  return headings
}

test('every page and heading that a source names is there', () => {
  const files = execFileSync('git', ['ls-files', ...SOURCES], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  const own = 'docs/citations.test.ts'
  const seen = files.filter((file) => file !== own && existsSync(join(ROOT, file)))
  assert.ok(seen.length > 1_000)
  const broken = seen.flatMap((file) =>
    brokenCitations(readFileSync(join(ROOT, file), 'utf8')).map((citation) => `${file}: ${citation}`),
  )
  assert.deepEqual(broken, [])
})

for (const { text, broken } of [
  { text: 'see docs/reference/http.md#paths', broken: [] },
  { text: 'see docs/reference/http.md', broken: [] },
  { text: 'see docs/reference/http.md#pathes', broken: ['docs/reference/http.md#pathes'] },
  { text: 'see docs/reference/htp.md.', broken: ['docs/reference/htp.md'] },
]) {
  test(`a citation is followed: ${text}`, () => {
    assert.deepEqual(brokenCitations(text), broken)
  })
}
