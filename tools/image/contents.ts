/** What the image holds, said once: the archive is built from these lists and the Dockerfile is tested against them. */

/**
 * The packages of ours that run; folders of the checkout. Their programs are bundled, and so is what of them threads and
 * other programs load. Everything else of the checkout stays out.
 */
export const PACKAGES = [
  'conf',
  'gateway',
  'gateway/ginit',
  'gateway/gui/api',
  'gateway/gui/server',
  'processors/broker',
  'processors/bus-exporter',
  'processors/character-count',
  'processors/content-filter',
  'processors/mock',
  'processors/nats2log',
  'processors/nlp-entities',
  'processors/protocol',
  'processors/regex',
  'processors/sdk',
  'processors/token-counter',
  'processors/tokenizer',
] as const

/** Packages that processors of others import in the image, by their names or the paths of their sources. */
export const DOORS = ['processors/protocol', 'processors/sdk'] as const

/** What such processors write their settings with; a file of the checkout. */
export const FOREIGN_DOORS = ['node_modules/zod/index.js'] as const

/** Dependencies that stay packages: one is native, the other is there where somebody put it. */
export const UNBUNDLED = ['re2', '@huggingface/transformers'] as const

/** What bundled packages ask for where somebody wants it, and nobody here does: pg's client in C, kubeconfigs with plugins. */
export const UNWANTED = ['pg-native', '@kubernetes/client-node'] as const

/** A workspace that runs in the image as one file: `program FILE` of the checkout writes it, the image has it at `path`. */
export const BUNDLES = [{ program: 'operator/bundle/main.ts', path: 'operator/operator.mjs' }] as const

/** Licences of packages that are in a bundle and nowhere else in the image; files of the checkout. */
export const BUNDLED_LICENCES = ['node_modules/yaml/LICENSE'] as const

/** Workspaces whose sources are only in bundles. */
export const BUNDLED = ['crds', 'operator', 'operator/kube'] as const

/** Workspaces that don't run in the image. */
export const LEFT_OUT: readonly string[] = ['test']

/** Whether a file of one of our packages is in the image as it is; `path` is relative to the package. */
export function isAppFile(path: string): boolean {
  return /^(package|[a-z0-9]+_config(\.schema)?)\.json$|^nats-server(-tls)?\.conf$/.test(path)
}

/**
 * Configuration files that the image has once more, where no share hides them: `container` of the supervisor fills an empty
 * /app/conf from there. Folders of the checkout, and their places in `app`.
 */
export const SHIPPED = [
  { folder: 'conf', path: 'shipped' },
  ...['azure', 'elasticsearch'].map((set) => ({ folder: `conf/examples/${set}`, path: `shipped/with/${set}` })),
] as const

/** Whether a file of one of our packages may be bundled: no tests and what serves them, no types, no generators. */
export function isRunSource(path: string): boolean {
  return /^src\/.*\.ts$/.test(path) && !/(\.test|-under-test|\.d|\/generate)\.ts$|\/(fixture|testdata)\//.test(path)
}

/** The web interface's page as it is served; a folder of the checkout that a build makes. */
export const PAGE = 'gateway/gui/web/dist'

/** Files at the top of the checkout that the image holds. */
export const TOP_FILES = ['LICENSE'] as const

/** Dependencies that nothing asks for at run time: types, what only an installation of re2 runs, another runtime's modules. */
export function isRunDependency(name: string): boolean {
  return !/^@types\/|^(undici-types|install-artifact-from-github|nan|node-gyp)$|^bare-/.test(name)
}

/** Folders at the top of a third-party package that hold no code which a program imports. */
const ASIDE = /^(docs?|tests?|__tests__|examples?|bench(marks?)?|coverage|integration|scripts|types|vendor)\//
const LICENCE = /^(licen[cs]e|notice|copying|copyright)[^/]*$/i

/** Whether a file of a bundled package tells what was bundled, to scanners and people. */
export function isNotice(path: string): boolean {
  return path === 'package.json' || LICENCE.test(path)
}

/** Whether a file of a package that isn't bundled runs, or is its licence; `path` is relative to the package. Addons are parts. */
export function isDependencyFile(path: string): boolean {
  if (LICENCE.test(path)) return true
  if (path.split('/').some((part) => part.startsWith('.')) || ASIDE.test(path)) return false
  return /\.(js|cjs|mjs|json|wasm)$/.test(path) && !/[._](test|spec)\.[cm]?js$|(^|\/)tsconfig[^/]*\.json$/.test(path)
}

/** What else a build needs of the checkout: what npm reads, and the tools that put the image together. Sorted. */
export const BUILD_FILES = [
  '.npmrc',
  'package-lock.json',
  'package.json',
  // npm refuses a lock that names a workspace which isn't there.
  ...LEFT_OUT.map((folder) => `${folder}/package.json`),
  'tools/gui',
  'tools/image',
  'tools/re2',
  'tools/setup',
  'tools/versions.json',
] as const
