/** The packages of ours that a package may import (folder → folders). Its tests may also import `test`. */
export const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  // The packages of the formats import no other package of ours.
  ['conf', []],
  ['crds', []],
  ['processors/protocol', []],
  ['processors/sdk', ['conf', 'processors/protocol']],
  ['processors/nats2log', ['conf', 'processors/protocol', 'processors/sdk']],
  ['processors/token-counter', ['conf', 'processors/protocol', 'processors/sdk']],
  ['processors/tokenizer', ['processors/protocol', 'processors/sdk']],
  ['processors/mock', ['processors/protocol', 'processors/sdk']],
  ['processors/regex', ['processors/protocol', 'processors/sdk']],
  ['processors/broker', ['processors/protocol', 'processors/sdk']],
  ['processors/nlp-entities', ['processors/protocol', 'processors/sdk']],
  ['processors/content-filter', ['processors/protocol', 'processors/sdk']],
  ['processors/bus-exporter', ['conf', 'processors/sdk']],
  ['processors/character-count', ['processors/protocol', 'processors/sdk']],
  ['examples/typescript', ['processors/sdk']],
  // Gateway and operator never import each other: they meet in a file.
  ['gateway', ['conf', 'processors/protocol']],
  ['gateway/ginit', ['conf', 'processors/sdk']],
  // The wire between page and server; the page is built from its types.
  ['gateway/gui/api', []],
  // On Kubernetes the server judges drafts with the operator's code, through that package's door `judge`.
  [
    'gateway/gui/server',
    ['conf', 'crds', 'gateway/gui/api', 'operator', 'operator/kube', 'processors/protocol', 'processors/sdk'],
  ],
  ['gateway/gui/web', ['gateway/gui/api']],
  // The API server's client, for the operator and the web interface.
  ['operator/kube', ['conf', 'crds']],
  ['operator', ['conf', 'crds', 'operator/kube']],
  ['test/browser', ['conf', 'test', 'tools']],
  [
    'test',
    ['charts/dashboards', 'conf', 'processors/protocol', 'processors/sdk', 'gateway', 'crds', 'operator', 'tools'],
  ],
  // Templates name the image's programs without importing them.
  ['deploy', []],
  // The generated pages are made from the code.
  [
    'docs',
    [
      'conf',
      'crds',
      'gateway',
      'gateway/gui/api',
      'processors/broker',
      'processors/content-filter',
      'processors/mock',
      'processors/nlp-entities',
      'processors/regex',
      'processors/tokenizer',
    ],
  ],
  // Dashboards and alerts name metrics without importing programs.
  ['charts/dashboards', ['conf']],
  ['tools', ['conf', 'crds', 'processors/protocol', 'processors/sdk']],
])

/** Packages in the table that don't exist yet. A rule for a missing folder fails unless it is listed here. */
export const PLANNED: readonly string[] = []

/** Folders without a package.json that must still follow the table. */
export const LOOSE: readonly string[] = ['charts/dashboards', 'deploy', 'examples/typescript', 'tools']

export type Confinement = {
  /** The package, or a prefix of its subpaths. */
  readonly module: string
  /** The paths outside tests that may import it. */
  readonly allowed: RegExp
  /** Further paths outside tests, which may import types alone. */
  readonly allowedTypes?: RegExp
  /** The largest number of importing files in one package. */
  readonly filesPerPackage: number
}

/** Third-party packages that only some files may import. */
export const CONFINED: readonly Confinement[] = [
  { module: 'nats', allowed: /^(gateway\/src\/bus|processors\/sdk\/src|test\/fake)\//, filesPerPackage: 7 },
  {
    module: 'undici',
    allowed: /^(gateway\/src\/(transaction\/send|upstream\/)|processors\/nats2log\/src\/|operator\/kube\/src\/)/,
    allowedTypes: /^gateway\/src\/upstream\/exchange\.ts$/,
    filesPerPackage: 1,
  },
  { module: 'fastify', allowed: /^(gateway\/src\/http|gateway\/gui\/server\/src|test\/bench)\//, filesPerPackage: 1 },
  { module: '@fastify/cookie', allowed: /^gateway\/gui\/server\/src\//, filesPerPackage: 1 },
  { module: 'jsonc-parser', allowed: /^gateway\/gui\/server\/src\/files\//, filesPerPackage: 3 },
  { module: '@fastify/reply-from', allowed: /^test\/bench\//, filesPerPackage: 1 },
  // Schemas of files, resources and the JSON API, and of each processor's settings file.
  {
    module: 'zod',
    allowed:
      /^((conf|crds|gateway\/gui\/api)\/src\/|docs\/generate\/processor-settings-page\.ts|processors\/[a-z-]+\/src\/(.*[-/])?(settings|definition)\.ts)/,
    filesPerPackage: Number.POSITIVE_INFINITY,
  },
  { module: 'pino', allowed: /^conf\/src\/program\//, filesPerPackage: 1 },
  {
    module: 'prom-client',
    allowed: /^(gateway|operator|processors\/[a-z-]+)\/src\/(.*[-/])?(metrics|definition)/,
    filesPerPackage: 2,
  },
  { module: 'esbuild', allowed: /^(operator|tools\/image)\/bundle\//, filesPerPackage: 1 },
  { module: '@grafana/grafana-foundation-sdk', allowed: /^charts\/dashboards\//, filesPerPackage: 3 },
  { module: 'wabt', allowed: /^gateway\/src\/json\/generate\.ts$/, filesPerPackage: 1 },
  { module: 'pg', allowed: /^processors\/nats2log\/src\//, filesPerPackage: 1 },
  { module: 're2', allowed: /^processors\/regex\/src\//, filesPerPackage: 1 },
  { module: 'compromise', allowed: /^processors\/nlp-entities\/src\//, filesPerPackage: 1 },
  // The client takes 90 MB, so only kubeconfigs with plugins load it. Its models type what the operator writes.
  {
    module: '@kubernetes/client-node',
    allowed: /^operator\/kube\/src\//,
    allowedTypes: /^operator\/src\//,
    filesPerPackage: 1,
  },
  { module: 'js-tiktoken', allowed: /^processors\/[a-z-]+\/src\//, filesPerPackage: 1 },
]

/**
 * The gateway's files that make an object literal with a getter. V8 gives each such object a hidden class of its own, which
 * keeps what the getter refers to until a full collection, so that only objects that live as long as the process may have one.
 */
export const LITERAL_GETTERS: readonly string[] = [
  'gateway/src/config/runtime-config.ts',
  'gateway/src/follow-certificates.ts',
  'gateway/src/http/ingress-certificate.ts',
  'gateway/src/http/server.ts',
]

/** Files that exist only for tests without being tests. */
export const TEST_SUPPORT = /(\.(test|soak)\.ts|-under-test\.ts|\/fixture\/.*)$/

export const MAX_LINES = 400
export const NINE_OF_TEN_LINES = 250
export const MEDIAN_LINES = 80

/** Words that are banned in file and folder names: they say nothing, and `and` means two files. See CONTRIBUTING.md. */
export const BANNED_WORDS: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'manager',
  'data',
  'info',
  'misc',
  'do',
  'handle',
  'and',
]
