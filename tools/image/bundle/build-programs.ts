import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { UNBUNDLED, UNWANTED } from '../contents.ts'
import { BUNDLE_FOLDER, type BundleEntry, relocate } from './bundle-plan.ts'

export type BundleFile = { readonly name: string; readonly content: Buffer }

/** What a bundle has no `require` for: packages in CommonJS that ask for modules of Node. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
const LINE_LENGTH = 200

/**
 * The entries as files that find each other in one folder: types stripped, what nobody calls left out, what several need in
 * files of its own. The same checkout gives the same bytes wherever it lies.
 */
export async function buildPrograms(root: string, entries: readonly BundleEntry[]): Promise<readonly BundleFile[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map(({ source, name }) => ({ in: join(root, source), out: name })),
    outdir: join(root, BUNDLE_FOLDER),
    write: false,
    absWorkingDir: root,
    // Where the image is built there is none of it: what is made must not depend on it.
    tsconfigRaw: {},
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    outExtension: { '.js': '.mjs' },
    banner: { js: BANNER },
    external: [...UNBUNDLED, ...UNWANTED],
    // Its main file asks for its parts by a `require` that it is handed, which no bundle can follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Names stay, and lines are some: what a log says of a bug is a function and its place.
    lineLimit: LINE_LENGTH,
    plugins: [relocation(root)],
    metafile: true,
    logLevel: 'silent',
  })
  checkImports(metafile)
  return outputFiles
    .map(({ path, text }) => ({ name: basename(path), content: Buffer.from(inAscii(text)) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function relocation(root: string): Plugin {
  return {
    name: 'relocation',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: relocate(readFileSync(path, 'utf8'), relative(root, path)),
        loader: 'ts',
      })),
  }
}

/** Nothing is left to be found at run time but Node's modules, the packages that stay packages, and what nobody wants. */
function checkImports({ outputs }: Metafile): void {
  const known: ReadonlySet<string> = new Set([...UNBUNDLED, ...UNWANTED])
  const imports = Object.values(outputs).flatMap((output) => output.imports)
  const lost = imports.find(({ path, external }) => external && !isBuiltin(path) && !known.has(path))
  if (lost !== undefined) throw new Error(`image: the programs import ${lost.path}, which no bundle has`)
}

/**
 * One letter outside ASCII, and V8 keeps all of a source in two bytes a character. esbuild leaves such letters in regular
 * expressions alone, where an escape means the same.
 */
function inAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (letters) =>
    [...Array(letters.length).keys()].map((index) => escaped(letters.charCodeAt(index))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
