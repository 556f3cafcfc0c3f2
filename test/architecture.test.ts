import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILD_FILES } from '../tools/image/contents.ts'
import { findCycle } from './architecture/cycle.ts'
import { FOLDERS, LAYERED } from './architecture/folders.ts'
import {
  BANNED_WORDS,
  CONFINED,
  LITERAL_GETTERS,
  LOOSE,
  MAX_LINES,
  MEDIAN_LINES,
  NINE_OF_TEN_LINES,
  PACKAGES,
  PLANNED,
  TEST_SUPPORT,
} from './architecture/rules.ts'
import {
  packageFolders,
  parse,
  ROOT,
  readSourceFiles,
  type SourceFile,
  trackedPaths,
} from './architecture/source-file.ts'

const files = readSourceFiles()
const paths = new Set(files.map(({ path }) => path))
const isTest = ({ path }: SourceFile): boolean => path.startsWith('test/') || TEST_SUPPORT.test(path)
const nameOf = new Map(packageFolders().map((folder) => [packageName(folder), folder]))

function packageName(folder: string): string {
  const name: unknown = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')).name
  assert.equal(typeof name, 'string')
  return String(name)
}

/** Returns the package of a path: the longest folder of the table that contains it. */
function packageOf(path: string): string | undefined {
  const folders = [...PACKAGES.keys()].filter((folder) => path.startsWith(`${folder}/`))
  return folders.sort((one, other) => other.length - one.length)[0]
}

/** Returns our package that an import names, if any. */
function importedPackage(specifier: string): string | undefined {
  const name = specifier.split('/').slice(0, 2).join('/')
  assert.ok(!name.startsWith('@llm-gateway/') || nameOf.has(name), `no package is called ${name}`)
  return nameOf.get(name)
}

function names(module: string, specifier: string): boolean {
  return specifier === module || specifier.startsWith(`${module}/`)
}

test('the architecture test reads every file that git tracks, and each file belongs to a package of the table', () => {
  const tracked = trackedPaths()
  assert.ok(tracked.length > 0)
  assert.deepEqual(
    tracked.filter((path) => !paths.has(path)),
    [],
  )
  assert.deepEqual(
    files.filter(({ path }) => packageOf(path) === undefined).map(({ path }) => path),
    [],
  )
})

test('every file and folder that ARCHITECTURE.md names exists', () => {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  // A path from the root, or the end of a path: `write/put-back.ts`.
  const named = [...page.matchAll(/`((?:[\w.-]+\/)*[\w-]+\.ts|(?:conf|crds|gateway|operator|processors)\/[\w./-]+)`/g)]
  assert.ok(named.length > 0)
  const missing = named
    .flatMap(([, path = '']) => path.replace(/\/$/, ''))
    .filter((path) => !existsSync(join(ROOT, path)) && ![...paths].some((file) => `/${file}`.endsWith(`/${path}`)))
  assert.deepEqual(missing, [])
})

test('the table of packages names every existing package and every planned one', () => {
  const existing = [...packageFolders(), ...LOOSE].sort()
  const known = [...PACKAGES.keys()].filter((folder) => !PLANNED.includes(folder)).sort()
  assert.deepEqual(known, existing)
  for (const folder of known)
    assert.ok(
      files.some(({ path }) => packageOf(path) === folder),
      `${folder} has no file`,
    )
})

test('the tools of the image’s build import no file that the build doesn’t have', () => {
  const isCopied = (path: string) => BUILD_FILES.some((copied) => path === copied || path.startsWith(`${copied}/`))
  const imports = files
    .filter(({ path }) => path.startsWith('tools/') && isCopied(path) && !TEST_SUPPORT.test(path))
    .flatMap(({ path, imports: all }) => all.map(({ file, isType }) => ({ path, file, isType })))
    .filter(({ file, isType }) => file !== undefined && !isType)
  assert.ok(imports.length > 50, `${imports.length} imports`)
  assert.deepEqual(
    imports.filter(({ file = '' }) => !isCopied(file)),
    [],
  )
})

test('a package imports only packages that the table allows, by their package names', () => {
  const wrong: string[] = []
  let seen = 0
  for (const file of files) {
    const own = packageOf(file.path) ?? ''
    for (const { specifier, file: relative } of file.imports) {
      const target = relative === undefined ? importedPackage(specifier) : packageOf(relative)
      // A folder without a package.json has no name to import it by.
      const byPath = own.startsWith('test') && target !== undefined && LOOSE.includes(target)
      if (relative !== undefined && target !== own && !byPath) {
        wrong.push(`${file.path}: ${specifier} leaves its package`)
      }
      if (target === undefined || target === own) continue
      seen += 1
      const allowed = target === 'test' ? isTest(file) : isTest(file) || (PACKAGES.get(own) ?? []).includes(target)
      if (!allowed) wrong.push(`${file.path}: ${own} may not import ${target}`)
    }
  }
  assert.ok(seen > 0)
  assert.deepEqual(wrong, [])
})

test('packages without dependencies import none of our packages; only their tests import the fakes', () => {
  const leaves = [...PACKAGES].filter(([, allowed]) => allowed.length === 0).map(([folder]) => folder)
  assert.deepEqual(leaves, ['conf', 'crds', 'processors/protocol', 'gateway/gui/api', 'deploy'])
  const wrong = files
    .filter(({ path }) => leaves.includes(packageOf(path) ?? ''))
    .flatMap(({ path, imports }) => imports.map(({ specifier }) => ({ path, target: importedPackage(specifier) })))
    .filter(({ path, target }) => target !== undefined && target !== 'test' && target !== packageOf(path))
  assert.deepEqual(wrong, [])
})

test('gateway and operator never import each other, not even in tests', () => {
  for (const [own, other] of [
    ['gateway', 'operator'],
    ['operator', 'gateway'],
  ] as const) {
    assert.ok(!(PACKAGES.get(own) ?? []).includes(other))
    const wrong = files
      .filter(({ path }) => path.startsWith(`${own}/`))
      .filter(({ imports }) => imports.some(({ specifier }) => names(`@llm-gateway/${other}`, specifier)))
      // The web interface may judge drafts with the operator's code, through the door `judge` only.
      .filter(({ path, imports }) => {
        const foreign = imports.filter(({ specifier }) => names(`@llm-gateway/${other}`, specifier))
        const byDoor = foreign.every(({ specifier }) => specifier === '@llm-gateway/operator/judge')
        return !(path.startsWith('gateway/gui/server/src/kubernetes/') && byDoor)
      })
    assert.deepEqual(wrong, [])
  }
})

for (const [sources, table] of FOLDERS) {
  const entries = [...table.keys()]
  const entryOf = (path: string): string | undefined =>
    entries.filter((entry) => path.startsWith(entry)).sort((one, other) => other.length - one.length)[0]
  const imports = files
    .filter(({ path }) => path.startsWith(sources) && !TEST_SUPPORT.test(path))
    .map((file) => ({
      path: file.path,
      own: entryOf(file.path.slice(sources.length)),
      // Skips package.json, which is beside the sources.
      inside: file.imports.flatMap(({ file: target }) =>
        target?.endsWith('.ts') === true ? [target.slice(sources.length)] : [],
      ),
    }))

  test(`in ${sources} a folder imports what the table allows, and every entry of the table is used`, () => {
    const wrong = imports.flatMap(({ path, own, inside }) => {
      if (own === undefined) return [`${path}: no entry of the table`]
      const allowed = [own, ...(table.get(own) ?? [])]
      const others = inside.filter((target) => !allowed.some((prefix) => target.startsWith(prefix)))
      return others.map((target) => `${path}: ${own} may not import ${target}`)
    })
    assert.deepEqual(wrong, [])
    const unused = entries.filter((entry) => !imports.some(({ own }) => own === entry))
    assert.deepEqual(unused, [])
  })

  test(`in ${sources} each import that the table allows exists`, () => {
    const unused = [...table].flatMap(([entry, allowed]) =>
      allowed
        .filter((prefix) => prefix !== '')
        .filter(
          (prefix) => !imports.some(({ own, inside }) => own === entry && inside.some((to) => to.startsWith(prefix))),
        )
        .map((prefix) => `${entry} imports nothing of ${prefix}`),
    )
    assert.deepEqual(unused, [])
  })
}

test('in a layered table an entry may import only entries above it', () => {
  assert.ok(LAYERED.length > 0)
  for (const sources of LAYERED) {
    const entries = [...(FOLDERS.get(sources) ?? [])]
    assert.ok(entries.length > 0, sources)
    for (const [at, [entry, allowed]] of entries.entries()) {
      const above = entries.slice(0, at).map(([name]) => name)
      const wrong = allowed.filter((prefix) => prefix !== '' && !above.some((name) => prefix.startsWith(name)))
      assert.deepEqual(wrong, [], `${sources}${entry}`)
    }
  }
})

for (const { module, allowed, allowedTypes, filesPerPackage } of CONFINED) {
  test(`${module} is imported only in the allowed files`, () => {
    const users = files
      .filter((file) => !TEST_SUPPORT.test(file.path))
      .filter(({ path, imports }) => {
        const mayImportTypes = allowedTypes?.test(path) === true
        return imports.some(({ specifier, isType }) => names(module, specifier) && !(isType && mayImportTypes))
      })
      .map(({ path }) => path)
    assert.ok(users.length > 0, `nothing imports ${module}: the rule matches nothing`)
    assert.deepEqual(
      users.filter((path) => !allowed.test(path)),
      [],
    )
    for (const folder of new Set(users.map(packageOf))) {
      const own = users.filter((path) => packageOf(path) === folder)
      assert.ok(own.length <= filesPerPackage, `${own.join(', ')}: at most ${filesPerPackage} in one package`)
    }
  })
}

test('the page of the web interface imports only types of the JSON API, so that no text of a schema is loaded', () => {
  const page = globSync('gateway/gui/web/src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (path) => !/\.test\.tsx?$/.test(path),
  )
  const imports = page.flatMap((path) =>
    parse(path, readFileSync(join(ROOT, path), 'utf8')).imports.map((imported) => ({ path, ...imported })),
  )
  const ofApi = imports.filter(({ specifier }) => names('@llm-gateway/gui-api', specifier))
  assert.ok(ofApi.length > 10, String(ofApi.length))
  assert.deepEqual(
    ofApi.filter(({ isType }) => !isType).map(({ path }) => path),
    [],
  )
})

test('the gateway makes no object literal with a getter for a call', () => {
  // The getters of a class are indented by two spaces, those of an object literal in a function by more.
  const literals = files
    .filter((file) => file.path.startsWith('gateway/src/') && !isTest(file) && /^ {3,}get \w+\(\)/m.test(file.text))
    .map(({ path }) => path)
  assert.deepEqual(literals, LITERAL_GETTERS)
})

test('process.env is read in main.ts files only', () => {
  const readers = files.filter(
    ({ text, path }) => /process\.env\b/.test(code(text)) && path !== 'test/architecture.test.ts',
  )
  assert.ok(readers.length > 0)
  assert.deepEqual(
    readers.map(({ path }) => path).filter((path) => !/(^|\/)main\.ts$/.test(path) && !TEST_SUPPORT.test(path)),
    [],
  )
})

for (const program of ['tools/run/main.ts', 'tools/setup/main.ts']) {
  test(`${program} begins in a new clone: no file that it loads at first imports a package, since it installs them`, () => {
    const loaded = new Set([program])
    const wrong: string[] = []
    for (const path of loaded) {
      const imports = files.find((file) => file.path === path)?.imports ?? []
      for (const { specifier, file } of imports.filter(({ isType, isDynamic }) => !isType && !isDynamic)) {
        if (specifier.startsWith('.') && file !== undefined) loaded.add(file)
        else if (!specifier.startsWith('node:')) wrong.push(`${path}: ${specifier}`)
      }
    }
    assert.ok(loaded.size > 1)
    assert.deepEqual(wrong, [])
  })
}

test('no file has more than 400 lines, 9 of 10 at most 250, the median is small', () => {
  assert.deepEqual(
    files.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines}`),
    [],
  )
  const sorted = files.filter((file) => !isTest(file)).map(({ lines }) => lines)
  sorted.sort((one, other) => one - other)
  assert.ok((sorted[Math.floor(sorted.length * 0.9)] ?? 0) <= NINE_OF_TEN_LINES)
  assert.ok((sorted[Math.floor(sorted.length / 2)] ?? 0) <= MEDIAN_LINES)
})

test('file names are kebab-case and contain no banned word', () => {
  assert.ok(files.length > 0)
  const wrong = files.map(({ path }) => path).filter((path) => !path.split('/').every(isGoodName))
  assert.deepEqual(wrong, [])
})

function isGoodName(segment: string): boolean {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/.test(segment)
  return kebab && !segment.split(/[-.]/).some((word) => BANNED_WORDS.includes(word))
}

test('index.ts is only the entry point of a package and exports its names one by one', () => {
  const doors = files.filter(({ path }) => path.endsWith('/index.ts'))
  assert.ok(doors.length > 0)
  for (const { path, text } of doors) {
    assert.ok(path === `${packageOf(path)}/src/index.ts`, `${path} is no package's door`)
    assert.doesNotMatch(text, /^export \*/m, path)
  }
})

test('no files import each other in a circle, not even for types', () => {
  assert.equal(findCycle(files)?.join(' → '), undefined)
})

test('the parser finds imports in every syntax', () => {
  const text = [
    "import 'a'",
    "import b from 'b'",
    "import { c,\n  d } from 'c'",
    "import type { E } from './e.ts'",
    "export { f } from '../f.ts'",
    "export * from 'g'",
    "  const h = await import('h')",
    "// import 'not this'",
    'const text = "import \'nor this\'"',
  ].join('\n')
  const { imports } = parse('x/y/z.ts', text)
  assert.deepEqual(
    imports.map(({ specifier }) => specifier),
    ['a', 'b', 'c', './e.ts', '../f.ts', 'g', 'h'],
  )
  assert.deepEqual(
    imports.flatMap(({ file }) => file ?? []),
    ['x/y/e.ts', 'x/f.ts'],
  )
  assert.deepEqual(
    imports.filter(({ isType }) => isType).map(({ specifier }) => specifier),
    ['./e.ts'],
  )
  const one = parse('one.ts', "import './two.ts'")
  const two = parse('two.ts', "import './three.ts'")
  const three = parse('three.ts', "import type { A } from './two.ts'")
  assert.deepEqual(findCycle([one, two, three]), ['two.ts', 'three.ts', 'two.ts'])
  assert.equal(findCycle([one, two]), undefined)
})

for (const { name, good } of [
  { name: 'check-ingress.ts', good: true },
  { name: 'check-ingress.test.ts', good: true },
  { name: 'string-utils.ts', good: false },
  { name: 'read-and-write.ts', good: false },
  { name: 'checkIngress.ts', good: false },
]) {
  test(`${name} is ${good ? 'a' : 'no'} good file name`, () => {
    assert.equal(isGoodName(name), good)
  })
}

/** Removes comments: rules are about code. */
function code(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1')
}
