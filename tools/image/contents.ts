/** The content of the image. The archive is built from these lists, and tests compare the Dockerfile with them. */

/**
 * Our packages that run, as folders of the checkout. Their programs are bundled, and so are the modules that threads
 * and other programs load. The rest of the checkout stays out.
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

/** Packages that foreign processors import in the image, by name or by the paths of their sources. */
export const SDK_PACKAGES = ['processors/protocol', 'processors/sdk'] as const

/** The package with which foreign processors define their settings; a file of the checkout. */
export const SDK_DEPENDENCIES = ['node_modules/zod/index.js'] as const

/** Dependencies that stay packages: re2 is native, and the other is installed by users. */
export const EXTERNAL_PACKAGES = ['re2', '@huggingface/transformers'] as const

/** Optional imports of bundled packages that we don't use: pg's client in C, kubeconfigs with plugins. */
export const OMITTED_IMPORTS = ['pg-native', '@kubernetes/client-node'] as const

/**
 * A workspace that runs in the image as one file: `program FILE` of the checkout writes it to FILE; `path` is its place
 * in the image.
 */
export const BUNDLES = [{ program: 'operator/bundle/main.ts', path: 'operator/operator.mjs' }] as const

/** Licences of packages that the image has only inside a bundle; files of the checkout. */
export const BUNDLED_LICENCES = ['node_modules/yaml/LICENSE'] as const

/** Workspaces whose sources are only in bundles. */
export const BUNDLED_WORKSPACES = ['crds', 'operator', 'operator/kube'] as const

/** Workspaces that don't run in the image. */
export const OMITTED_WORKSPACES: readonly string[] = ['test']

/** Returns whether the image has a file of our packages unchanged; `path` is relative to the package. */
export function isAppFile(path: string): boolean {
  return /^(package|[a-z0-9]+_config(\.schema)?)\.json$|^nats-server(-tls)?\.conf$/.test(path)
}

/**
 * Second copies of configuration files, in a place that no mounted share hides. The supervisor's command `container`
 * fills an empty /app/conf from them. Folders of the checkout, and their places in `app`.
 */
export const SHIPPED_CONFIGURATION = [
  { folder: 'conf', path: 'shipped' },
  ...['azure', 'elasticsearch'].map((set) => ({ folder: `conf/examples/${set}`, path: `shipped/with/${set}` })),
] as const

/** Returns whether a file of our packages may be bundled: no tests and their helpers, no types, no generators. */
export function isRunSource(path: string): boolean {
  return /^src\/.*\.ts$/.test(path) && !/(\.test|-under-test|\.d|\/generate)\.ts$|\/(fixture|testdata)\//.test(path)
}

/** The web interface's page as served; a folder of the checkout that a build makes. */
export const PAGE_FOLDER = 'gateway/gui/web/dist'

/** Files of the checkout's root in the image. */
export const TOP_FILES = ['LICENSE'] as const

/**
 * Returns whether a dependency is needed at run time: no types, no tools of re2's installation, no modules of other
 * runtimes.
 */
export function isRunDependency(name: string): boolean {
  return !/^@types\/|^(undici-types|install-artifact-from-github|nan|node-gyp)$|^bare-/.test(name)
}

/** Folders of a third-party package that contain no imported code. */
const ASIDE = /^(docs?|tests?|__tests__|examples?|bench(marks?)?|coverage|integration|scripts|types|vendor)\//
const LICENCE = /^(licen[cs]e|notice|copying|copyright)[^/]*$/i

/** Returns whether a file of a bundled package tells scanners and people about the package. */
export function isNotice(path: string): boolean {
  return path === 'package.json' || LICENCE.test(path)
}

/**
 * Returns whether a file of an unbundled package is code or its licence; `path` is relative to the package. Native
 * addons are handled as parts.
 */
export function isDependencyFile(path: string): boolean {
  if (LICENCE.test(path)) return true
  if (path.split('/').some((part) => part.startsWith('.')) || ASIDE.test(path)) return false
  return /\.(js|cjs|mjs|json|wasm)$/.test(path) && !/[._](test|spec)\.[cm]?js$|(^|\/)tsconfig[^/]*\.json$/.test(path)
}

/** Further files of the checkout that a build needs: npm's, and the tools that build the image. Sorted. */
export const BUILD_FILES = [
  '.npmrc',
  'package-lock.json',
  'package.json',
  // npm refuses a lock that names a missing workspace.
  ...OMITTED_WORKSPACES.map((folder) => `${folder}/package.json`),
  'tools/gui',
  'tools/image',
  'tools/re2',
  'tools/setup',
  'tools/versions.json',
] as const
