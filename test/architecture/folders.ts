/** What a folder or file may import from its own package: prefixes of paths, `''` for all of them. */
export type FolderTable = ReadonlyMap<string, readonly string[]>

const GATEWAY: FolderTable = new Map([
  // What puts the parts together knows all of them, and none of them knows it.
  ['main.ts', ['']],
  ['program.ts', ['']],
  ['wanted-start.ts', []],
  ['boot.ts', ['']],
  ['validate.ts', ['']],
  ['stop.ts', ['']],
  ['errors.ts', []],
  ['clock.ts', []],
  ['setting-file.ts', []],
  ['metrics', ['work/']],
  ['isalive.ts', ['clock.ts', 'transaction/transaction.ts']],
  ['stream/', ['work/']],
  ['memory/', []],
  ['work/', []],
  ['json/', ['work/work-queue.ts']],
  ['config/', ['http/headers.ts', 'http/query.ts', 'work/']],
  ['bus/', ['config/secret.ts', 'spool/']],
  ['spool/', []],
  ['upstream/', ['errors.ts', 'setting-file.ts', 'http/headers.ts', 'http/watch-stall.ts', 'memory/']],
  // A row works on payloads of both sides; it knows neither HTTP nor the upstream.
  [
    'pipeline/',
    ['bus/bus.ts', 'clock.ts', 'config/', 'json/', 'memory/', 'metrics.ts', 'transaction/payload.ts', 'work/'],
  ],
  // The port knows a transaction by its types only: boot hands `transact` in.
  [
    'http/',
    ['errors.ts', 'setting-file.ts', 'json/', 'memory/', 'transaction/transaction.ts', 'upstream/upstream.ts', 'work/'],
  ],
  [
    'transaction/',
    [
      'bus/',
      'clock.ts',
      'config/',
      'errors.ts',
      'http/',
      'json/',
      'memory/',
      'metrics.ts',
      'pipeline/',
      'stream/',
      'upstream/',
      'work/',
    ],
  ],
])

/** From the ground up: an entry imports those above it in the table, so no folders import each other in a circle. */
const OPERATOR: FolderTable = new Map([
  ['failure-of.ts', []],
  ['health-port.ts', []],
  // What the other rooms hand each other: plain values, and the names of what is made.
  ['model/', []],
  // What the operator reads of the API server, decoded. It knows nothing of what is made of it.
  ['kube/', ['failure-of.ts', 'model/']],
  // Pure: it sees no cluster, only the snapshot.
  ['translate/', ['model/']],
  ['judge/', ['model/', 'translate/']],
  ['lease/', ['model/names.ts']],
  ['self/', []],
  ['claims/', ['kube/', 'lease/']],
  ['bus/', ['model/', 'translate/']],
  ['delivery/', ['kube/', 'model/']],
  ['observe/', ['kube/', 'model/', 'translate/']],
  ['write/', ['bus/', 'kube/', 'model/', 'translate/']],
  ['snapshot/', ['kube/', 'model/', 'observe/', 'translate/', 'write/values-secret.ts']],
  ['events/', ['failure-of.ts', 'lease/lease-record.ts', 'translate/']],
  ['status/', ['delivery/limit.ts', 'events/', 'kube/', 'translate/']],
  ['controller/', ['failure-of.ts', 'kube/', 'model/', 'snapshot/']],
  // Without a cluster: what `render` and `import` need of it is a way to name and decode things.
  [
    'commands/',
    [
      'failure-of.ts',
      'judge/',
      'kube/decode.ts',
      'lease/candidate.ts',
      'model/',
      'translate/',
      'write/generated-secret.ts',
    ],
  ],
  ['judge-door.ts', ['judge/', 'kube/decode-resource.ts', 'model/']],
  ['command-line.ts', ['commands/', 'model/role-name.ts']],
  ['metrics.ts', ['controller/work-queue.ts', 'self/watch-policies.ts']],
  // What puts the parts together knows all of them.
  ['reconcile.ts', ['']],
  ['operator.ts', ['']],
  ['main.ts', ['']],
])

/** A processor's rooms; the files beside them know all of it. */
const CONTENT_FILTER: FolderTable = new Map([
  ['lexicon/', ['language.ts', 'pattern.ts', 'scores.ts']],
  ['', ['']],
])
const NLP_ENTITIES: FolderTable = new Map([
  ['lists/', []],
  ['rules/', ['entity.ts']],
  ['', ['']],
])
const PROTOCOL: FolderTable = new Map([
  ['payload/', ['json.ts']],
  ['', ['']],
])

/** Sources → what is in them. A file belongs to the longest entry that fits; what is in one entry may import itself. */
export const FOLDERS: ReadonlyMap<string, FolderTable> = new Map([
  ['gateway/src/', GATEWAY],
  ['operator/src/', OPERATOR],
  ['processors/content-filter/src/', CONTENT_FILTER],
  ['processors/nlp-entities/src/', NLP_ENTITIES],
  ['processors/protocol/src/', PROTOCOL],
])

/** Those of the tables in which an entry imports only what stands above it. */
export const LAYERED: readonly string[] = ['operator/src/']
