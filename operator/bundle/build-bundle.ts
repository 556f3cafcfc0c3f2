import { join } from 'node:path'
import { build } from 'esbuild'

export type Bundle = {
  readonly bytes: number
  /** Packages that stay outside: they are loaded where a kubeconfig needs them. */
  readonly external: readonly string[]
}

/** What a bundle has no `require` for: packages in CommonJS that ask for modules of Node. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
/** Knows kubeconfigs with plugins, which nobody has in a cluster; weighs as much as all the rest. */
const EXTERNAL = ['@kubernetes/client-node']
const LINE_LENGTH = 200

/**
 * The operator as one file: types stripped, what nobody calls left out. Resident it is a third less than its sources,
 * which bring Node's own stripper and all of undici and zod with them.
 */
export async function buildBundle(out: string): Promise<Bundle> {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../src/main.ts')],
    outfile: out,
    // Paths in its comments are the checkout's, wherever it lies.
    absWorkingDir: join(import.meta.dirname, '../..'),
    // Where the image is built there is none of it: what is made must not depend on it.
    tsconfigRaw: {},
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: BANNER },
    external: EXTERNAL,
    minifySyntax: true,
    // One letter outside ASCII, and all of the source is kept in two bytes a character: they stand in comments.
    minifyWhitespace: true,
    legalComments: 'none',
    // Names stay, and lines are some: what a log says of a bug is a function and its place.
    lineLimit: LINE_LENGTH,
    metafile: true,
    logLevel: 'silent',
  })
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0)
  return { bytes, external: EXTERNAL }
}
