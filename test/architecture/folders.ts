/** The imports that a folder or file may have from its own package: prefixes of paths, `''` for all. */
export type FolderTable = ReadonlyMap<string, readonly string[]>

const GATEWAY: FolderTable = new Map([
  // The files that assemble the program import all folders, and no folder imports them.
  ['main.ts', ['']],
  ['program.ts', ['']],
  ['process-options.ts', ['jemalloc.ts']],
  ['jemalloc.ts', []],
  ['boot.ts', ['']],
  ['validate.ts', ['']],
  ['stop.ts', ['']],
  ['errors.ts', []],
  ['clock.ts', []],
  ['setting-file.ts', []],
  ['follow-certificates.ts', ['setting-file.ts']],
  ['metrics', ['work/']],
  ['isalive.ts', ['clock.ts', 'transaction/transaction.ts']],
  ['stream/', ['json/', 'work/']],
  ['memory/', []],
  ['work/', []],
  ['json/', ['work/work-queue.ts']],
  ['config/', ['http/basic-authorization.ts', 'http/headers.ts', 'http/query.ts', 'work/']],
  ['bus/', ['config/secret.ts', 'json/json-scan.ts', 'spool/', 'work/fair-queue.ts', 'work/work-queue.ts']],
  ['spool/', []],
  [
    'upstream/',
    [
      'errors.ts',
      'follow-certificates.ts',
      'setting-file.ts',
      'http/basic-authorization.ts',
      'http/handshake-reads.ts',
      'http/headers.ts',
      'http/node-http.ts',
      'http/stop-reading.ts',
      'http/watch-stall.ts',
      'memory/',
      'work/fair-queue.ts',
      'work/run-steps.ts',
      'work/turn-clock.ts',
      'work/turn-end.ts',
      'work/turn-queue.ts',
    ],
  ],
  // A row works on payloads of both sides; it knows neither HTTP nor the upstream.
  [
    'pipeline/',
    ['bus/bus.ts', 'clock.ts', 'config/', 'json/', 'memory/', 'metrics.ts', 'transaction/payload.ts', 'work/'],
  ],
  // The port imports only the types of a transaction: boot passes `transact` in.
  [
    'http/',
    [
      'errors.ts',
      'follow-certificates.ts',
      'setting-file.ts',
      'json/',
      'memory/',
      'transaction/transaction.ts',
      'upstream/upstream.ts',
      'work/',
    ],
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

/** Ordered from the ground up: an entry imports only entries above it, so folders have no cycles. */
const OPERATOR: FolderTable = new Map([
  ['failure-of.ts', []],
  ['health-port.ts', []],
  // Plain values and names that the other folders exchange.
  ['model/', []],
  // Pure: translates a snapshot without access to the cluster.
  ['translate/', ['model/']],
  // Reads and decodes the API server’s objects, without knowledge of their use, apart from the size of a usable Router
  // and of a usable configuration.
  [
    'kube/',
    [
      'failure-of.ts',
      'model/',
      'translate/processors/custom-config.ts',
      'translate/routers/no-room.ts',
      'translate/variables/resolve-field.ts',
      'translate/variables/split-references.ts',
    ],
  ],
  ['judge/', ['model/', 'translate/']],
  ['lease/', ['model/']],
  ['self/', []],
  ['claims/', ['kube/', 'lease/']],
  ['bus/', ['model/', 'translate/']],
  ['delivery/', ['kube/', 'model/']],
  ['observe/', ['kube/', 'model/', 'translate/']],
  ['write/', ['bus/', 'kube/', 'model/', 'translate/']],
  ['snapshot/', ['kube/', 'model/', 'observe/', 'translate/', 'write/values-secret.ts']],
  ['events/', ['failure-of.ts', 'lease/lease-record.ts', 'model/', 'translate/']],
  ['status/', ['delivery/concurrency-limit.ts', 'events/', 'kube/', 'translate/']],
  ['controller/', ['failure-of.ts', 'kube/', 'model/', 'snapshot/', 'translate/routers/no-room.ts']],
  // `render` and `import` run without a cluster; they only name and decode objects.
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
  ['judge-door.ts', ['judge/', 'kube/decode-lean.ts', 'kube/decode-resource.ts', 'kube/unpack-text.ts', 'model/']],
  ['command-line.ts', ['commands/', 'model/role-name.ts']],
  ['metrics.ts', ['controller/work-queue.ts', 'self/watch-policies.ts']],
  // The files that assemble the program import all folders.
  ['reconcile.ts', ['']],
  ['operator.ts', ['']],
  ['main.ts', ['']],
])

/** A processor's folders; the files beside them import all of these. */
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

/** Ordered from the ground up, like the operator's. */
const SDK: FolderTable = new Map([
  ['logger.ts', []],
  ['wait.ts', []],
  ['key-value/', ['logger.ts', 'wait.ts']],
  ['bus/', ['key-value/', 'logger.ts', 'wait.ts']],
  ['liveness/', ['bus/', 'wait.ts']],
  ['records/', ['bus/', 'wait.ts']],
  ['messages/', ['bus/', 'logger.ts', 'wait.ts']],
  ['program/', ['bus/', 'key-value/', 'logger.ts', 'messages/', 'wait.ts']],
  // Entry points of the package.
  ['bus-liveness.ts', ['bus/', 'liveness/']],
  ['thread.ts', ['messages/run-message-thread.ts']],
  ['index.ts', ['']],
])

/** Ordered from the ground up. A target imports no other target but the shared parts of `targets/http`. */
const NATS2LOG: FolderTable = new Map([
  ['checkpoints/', []],
  ['targets/writer.ts', ['checkpoints/']],
  ['targets/split-batch.ts', ['targets/writer.ts']],
  ['targets/outbound-tls.ts', []],
  ['targets/map-in-turns.ts', []],
  ['targets/record-filter.ts', ['targets/map-in-turns.ts', 'targets/writer.ts']],
  ['targets/http/', ['targets/outbound-tls.ts', 'targets/split-batch.ts', 'targets/writer.ts']],
  [
    'targets/azure/',
    [
      'targets/http/',
      'targets/map-in-turns.ts',
      'targets/outbound-tls.ts',
      'targets/split-batch.ts',
      'targets/writer.ts',
    ],
  ],
  ['targets/elastic/', ['targets/http/', 'targets/outbound-tls.ts', 'targets/split-batch.ts', 'targets/writer.ts']],
  ['targets/file/', ['checkpoints/', 'targets/writer.ts']],
  [
    'targets/otlp/',
    [
      'targets/http/',
      'targets/map-in-turns.ts',
      'targets/outbound-tls.ts',
      'targets/split-batch.ts',
      'targets/writer.ts',
    ],
  ],
  [
    'targets/postgres/',
    ['targets/map-in-turns.ts', 'targets/outbound-tls.ts', 'targets/split-batch.ts', 'targets/writer.ts'],
  ],
  [
    'targets/s3/',
    [
      'targets/http/',
      'targets/map-in-turns.ts',
      'targets/outbound-tls.ts',
      'targets/split-batch.ts',
      'targets/writer.ts',
    ],
  ],
  [
    'targets/choose-writer.ts',
    [
      'targets/azure/',
      'targets/elastic/',
      'targets/file/',
      'targets/http/',
      'targets/otlp/',
      'targets/outbound-tls.ts',
      'targets/postgres/',
      'targets/record-filter.ts',
      'targets/s3/',
      'targets/writer.ts',
    ],
  ],
  ['delivery/', ['checkpoints/', 'targets/split-batch.ts', 'targets/writer.ts']],
  ['stream/', ['checkpoints/', 'delivery/outcome-counts.ts', 'targets/writer.ts']],
  ['dead-letters/', ['stream/stream-names.ts', 'targets/writer.ts']],
  ['run/', ['checkpoints/', 'dead-letters/', 'delivery/', 'stream/', 'targets/choose-writer.ts', 'targets/writer.ts']],
  ['main.ts', ['run/']],
  ['dead-letters.ts', ['dead-letters/', 'run/']],
])

/**
 * Tables by source folder. A file belongs to the longest matching entry, and files of one entry may import each other.
 */
export const FOLDERS: ReadonlyMap<string, FolderTable> = new Map([
  ['gateway/src/', GATEWAY],
  ['operator/src/', OPERATOR],
  ['processors/content-filter/src/', CONTENT_FILTER],
  ['processors/nlp-entities/src/', NLP_ENTITIES],
  ['processors/nats2log/src/', NATS2LOG],
  ['processors/protocol/src/', PROTOCOL],
  ['processors/sdk/src/', SDK],
])

/** The tables whose entries import only entries above them. */
export const LAYERED: readonly string[] = ['operator/src/', 'processors/nats2log/src/', 'processors/sdk/src/']
