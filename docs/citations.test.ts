import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import GithubSlugger from 'github-slugger'

const ROOT = join(import.meta.dirname, '..')
/** `docs/reference/http.md#paths`: a page by its path from the repository's root, and a heading of it. */
const CITATION = /\bdocs\/(?:[a-z-]+\/)*[A-Za-z-]+\.md(?:#[\p{L}\p{N}_-]+)?/gu
/** Former citations of documents outside the repository. `Kubernetes 1.34` is a version and no citation. */
const OUTSIDE = [
  /\bwire,? \d(?:\.\d)?/gi,
  /\bkubernetes,? [1-5](?:\.[1-9])?(?!\.?\d)/gi,
  /\b(?:design|style),? \d/gi,
  /\bspecification(?:[,:]|['’]s) ?[\w ]{0,20}/gi,
  /\bthe (?:specification\b|wire (?:asks|describes|says)\b)/gi,
]

const OWN = 'docs/citations.test.ts'
const NO_SOURCES = /package-lock\.json$|\.png$|^LICENSE$|^test\/(?:corpus|fixtures\/previous)\/|plain-words\.ts$/
const sources = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => file !== OWN && !NO_SOURCES.test(file) && existsSync(join(ROOT, file)))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

const headings = new Map<string, ReadonlySet<string>>()

describe('citations in sources', () => {
  test('many files are looked at', () => assert.ok(sources.length > 2_000))

  test('each leads to a page of docs/ and to a heading of it', () => {
    assert.deepEqual(found(brokenCitations, sources), [])
  })

  test('none names a document that is not in the repository', () => {
    assert.deepEqual(found(citationsOutside, sources), [])
  })
})

for (const { text, broken } of [
  { text: 'see docs/reference/http.md#paths', broken: [] },
  { text: 'see docs/reference/http.md', broken: [] },
  { text: 'see docs/reference/http.md#pathes', broken: ['docs/reference/http.md#pathes'] },
  { text: 'see docs/reference/errors.md#ROUTER_NOT_FOUND', broken: [] },
  { text: 'see docs/reference/errors.md#ROUTER_FOUND', broken: ['docs/reference/errors.md#ROUTER_FOUND'] },
  { text: 'see docs/reference/htp.md.', broken: ['docs/reference/htp.md'] },
]) {
  test(`a citation is followed: ${text}`, () => assert.deepEqual(brokenCitations(text), broken))
}

for (const { text, outside } of [
  { text: '/** Judges one router (wire, 1.1). */', outside: ['wire, 1.1'] },
  { text: "test('wire 5: a body is read')", outside: ['wire 5'] },
  {
    text: '/**\n * A random value for each (specification,\n * authentication 4).',
    outside: ['specification, authentication 4'],
  },
  { text: '# A long line that ends with wire,\n# 8.', outside: ['wire, 8'] },
  {
    text: '// The pods are asked (kubernetes 2.1), design 4, style 12.',
    outside: ['kubernetes 2.1', 'design 4', 'style 1'],
  },
  {
    text: '/** What the specification’s example has. */',
    outside: ['specification’s example has', 'the specification'],
  },
  { text: 'Kubernetes 1.34, kubernetes 1.9.2, two wires, TLS 1.3, lifestyle 5, on the wire', outside: [] },
]) {
  test(`a citation of another document is found: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(citationsOutside(text), outside)
  })
}

function found(
  search: (text: string) => readonly string[],
  files: readonly { readonly file: string; readonly text: string }[],
): readonly string[] {
  return files.flatMap(({ file, text }) => search(text).map((citation) => `${file}: ${citation}`))
}

/** Returns citations of missing pages or headings. */
function brokenCitations(text: string): readonly string[] {
  return [...text.matchAll(CITATION)].map(([citation]) => citation).filter((citation) => !leads(citation))
}

/** Returns citations of outside documents, also those broken over two lines of a comment. */
function citationsOutside(text: string): readonly string[] {
  const unbroken = text.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, ' ')
  return OUTSIDE.flatMap((form) => [...unbroken.matchAll(form)].map(([citation]) => citation.trim()))
}

function leads(citation: string): boolean {
  const [page = '', heading] = citation.split('#')
  // NAME stands for any page of a folder.
  if (page.endsWith('/NAME.md')) return true
  if (!existsSync(join(ROOT, page))) return false
  return heading === undefined || headingsOf(page).has(heading)
}

/** Returns the anchors of a page's headings and of the rows of its tables. */
function headingsOf(page: string): ReadonlySet<string> {
  const known = headings.get(page)
  if (known !== undefined) return known
  const slugger = new GithubSlugger()
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '')
  const made = new Set([
    ...[...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => slugger.slug(title.replaceAll('`', ''))),
    ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id),
  ])
  headings.set(page, made)
  return made
}
