import { createHash } from 'node:crypto'
import type { Admin, StoredObject } from './admin.ts'
import { configText } from './gateway-pods.ts'

const KINDS = [
  'LLMGateway',
  'Router',
  'Processor',
  'Secret',
  'ConfigMap',
  'Service',
  'ServiceAccount',
  'Deployment',
  'StatefulSet',
  'PodDisruptionBudget',
  'NetworkPolicy',
] as const
const MOST_LINES = 40
const OURS = ['LLMGateway', 'Router', 'Processor']
/** What every namespace gets from Kubernetes. */
const FOREIGN = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default']
/** Different in each life of an object, or somebody else's. */
const DROPPED = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'lastTransitionTime',
  'clusterIP',
  'clusterIPs',
  'deployment.kubernetes.io/revision',
  'llmgateway.io/applied',
  // A hash of settings of which the configuration has the text; the gateway's id is among them.
  'llmgateway.io/settings',
  // Counts how often values changed: a history.
  'REVISION',
  // Each run has a class of its own.
  'class',
  'valuesRevision',
])

/**
 * All objects in the namespaces that begin with `prefix`, a text each, sorted; without what differs between two lives of the
 * same resources: uids, times, generated values and the names made of them, and the prefix itself.
 */
export async function readState(admin: Admin, prefix: string): Promise<readonly string[]> {
  const namespaces = (await admin.list('Namespace')).filter(({ metadata }) => metadata.name.startsWith(prefix))
  const lists = await Promise.all(
    namespaces.flatMap(({ metadata }) => KINDS.map((kind) => admin.list(kind, metadata.name))),
  )
  const things = lists.flat().filter(({ kind, metadata }) => !FOREIGN.includes(`${kind} ${metadata.name}`))
  const replace = replacements(things, prefix)
  const texts = things.map((thing) => {
    // Named first, sorted then: the order of names that are different in each life would be, too.
    const named: unknown = JSON.parse(replace(JSON.stringify(opened(thing))))
    return `${replace(titleOf(thing))} ${JSON.stringify(cleaned(named), undefined, 1)}`
  })
  return texts.sort()
}

/** Fails with the lines that differ. */
export function assertSameState(actual: readonly string[], expected: readonly string[], what: string): void {
  const difference = differenceOf(actual, expected)
  if (difference.length > 0) throw new Error(`${what}:\n${difference.slice(0, MOST_LINES).join('\n')}`)
}

/** `- ` what is missing, `+ ` what is too much, after the object's title. */
function differenceOf(actual: readonly string[], expected: readonly string[]): readonly string[] {
  const titled = (texts: readonly string[]) => new Map(texts.map((text) => [text.slice(0, text.indexOf(' {')), text]))
  const [there, wanted] = [titled(actual), titled(expected)]
  return [...new Set([...wanted.keys(), ...there.keys()])].flatMap((title) => {
    const [have, want] = [there.get(title), wanted.get(title)]
    if (have === want) return []
    if (have === undefined || want === undefined) return [`${have === undefined ? '-' : '+'} ${title}`]
    const [haveLines, wantLines] = [have.split('\n'), want.split('\n')]
    const missing = wantLines.filter((line) => !haveLines.includes(line)).map((line) => `- ${line}`)
    const tooMuch = haveLines.filter((line) => !wantLines.includes(line)).map((line) => `+ ${line}`)
    return [title, ...(missing.length + tooMuch.length > 0 ? [...missing, ...tooMuch] : ['another order of lines'])]
  })
}

function titleOf({ kind, metadata }: StoredObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`
}

/** With texts that are JSON or base64 as what they say, so that names in them are found. */
function opened(thing: StoredObject): StoredObject {
  const { status, ...rest } = thing
  const kept = OURS.includes(thing.kind) ? thing : rest
  if (thing.kind === 'Secret') return { ...kept, metadata: thing.metadata, kind: 'Secret', data: secretTexts(thing) }
  const text = thing.kind === 'ConfigMap' ? configText(thing) : undefined
  if (text === undefined) return { ...kept, metadata: thing.metadata, kind: thing.kind }
  return { ...kept, metadata: thing.metadata, kind: thing.kind, data: JSON.parse(text), binaryData: undefined }
}

function secretTexts({ data, metadata }: StoredObject): object {
  const isGenerated = metadata.name.endsWith('-token')
  const texts = Object.entries(typeof data === 'object' && data !== null ? data : {}).map(([key, value]) => [
    key,
    isGenerated ? 'generated' : Buffer.from(String(value), 'base64').toString(),
  ])
  return Object.fromEntries(texts)
}

/** Without what is dropped, keys sorted: order of fields is nobody's decision. Generations count specs of people only. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key) && key !== 'generation')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, cleaned(one)]))
}

/** uids, names of values, digests and the prefix → what they stand for. */
function replacements(things: readonly StoredObject[], prefix: string): (text: string) => string {
  const pairs = new Map<string, string>()
  for (const thing of things) {
    pairs.set(thing.metadata.uid ?? '', `<uid of ${titleOf(thing)}>`)
    const text = thing.kind === 'ConfigMap' ? configText(thing) : undefined
    if (text === undefined) continue
    pairs.set(createHash('sha256').update(text).digest('hex'), `<digest of ${titleOf(thing)}>`)
    for (const [index, name] of [...new Set(text.match(/V_[0-9a-f]{16}/g))].entries()) {
      pairs.set(name, `V_of_${thing.metadata.name}_${index}`)
    }
  }
  for (const { status } of things) {
    const id = typeof status === 'object' && status !== null && 'gatewayId' in status ? status.gatewayId : undefined
    if (typeof id === 'string') pairs.set(id, '<gateway id>')
  }
  // The operator's own namespace, which its NetworkPolicies name: each run has one of its own.
  pairs.set(`lease-${prefix.replace(/-$/, '')}`, '<namespace of the operator>')
  // Its Lease, which each LLMGateway names, is called after its class.
  pairs.set(`llm-gateway-operator-${prefix.replace(/-$/, '')}`, '<Lease of the operator>')
  pairs.delete('')
  return (text) => {
    const named = [...pairs].reduce((so, [from, to]) => so.replaceAll(from, to), text)
    // What is True isn't said anew because a pod came.
    const counted = named.replaceAll(/In use by \d+ of \d+ ready pods/g, 'In use by ready pods')
    return prefix === '' ? counted : counted.replaceAll(prefix, '')
  }
}
