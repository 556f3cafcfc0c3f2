import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { EXTERNAL_PACKAGES, OMITTED_IMPORTS } from '../contents.ts'
import { BUNDLE_FOLDER, type BundleEntry, relocate } from './bundle-plan.ts'

export type BundleFile = { readonly name: string; readonly content: Buffer }

/** Defines `require` for bundled CommonJS packages that load Node's modules. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
const LINE_LENGTH = 200

/**
 * Bundles the entries into files of one folder: types are stripped, unused code is removed, shared code is in files of
 * its own. The same checkout gives the same bytes at any path.
 */
export async function buildPrograms(root: string, entries: readonly BundleEntry[]): Promise<readonly BundleFile[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map(({ source, name }) => ({ in: join(root, source), out: name })),
    outdir: join(root, BUNDLE_FOLDER),
    write: false,
    absWorkingDir: root,
    // Builds inside the Dockerfile have no tsconfig, so the output must not depend on it.
    tsconfigRaw: {},
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    outExtension: { '.js': '.mjs' },
    banner: { js: BANNER },
    external: [...EXTERNAL_PACKAGES, ...OMITTED_IMPORTS],
    // The package's main file gets its `require` as an argument, which no bundler can follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Names and line breaks stay, so that a stack trace names a function and a place.
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

/** Checks that the bundles import only Node's modules, unbundled packages and optional packages that we don't use. */
function checkImports({ outputs }: Metafile): void {
  const known: ReadonlySet<string> = new Set([...EXTERNAL_PACKAGES, ...OMITTED_IMPORTS])
  const imports = Object.values(outputs).flatMap((output) => output.imports)
  const lost = imports.find(({ path, external }) => external && !isBuiltin(path) && !known.has(path))
  if (lost !== undefined) throw new Error(`image: the programs import ${lost.path}, which no bundle has`)
}

/**
 * Escapes letters outside ASCII: with a single such letter V8 keeps the whole source in two bytes per character.
 * esbuild doesn't escape them in regular expressions, where an escape means the same.
 */
function inAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (letters) =>
    [...Array(letters.length).keys()].map((index) => escaped(letters.charCodeAt(index))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
