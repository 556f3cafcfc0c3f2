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
const MAX_LINES = 40
const OURS = ['LLMGateway', 'Router', 'Processor']
/** Objects that Kubernetes makes in every namespace. */
const FOREIGN = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default']
/** Fields that differ in each life of an object, or belong to others. */
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
  // A hash of settings that are in the configuration as text; the gateway's id is among them.
  'llmgateway.io/settings',
  // Counts the changes of values, so it depends on the history.
  'REVISION',
  // Each run has a class of its own.
  'class',
  'valuesRevision',
])

/**
 * Returns all objects in the namespaces with this prefix as sorted texts. Uids, times, generated values, names made of
 * these and the prefix itself are left out or replaced, since they differ between two lives of the same resources.
 */
export async function readState(admin: Admin, prefix: string): Promise<readonly string[]> {
  const namespaces = (await admin.list('Namespace')).filter(({ metadata }) => metadata.name.startsWith(prefix))
  const lists = await Promise.all(
    namespaces.flatMap(({ metadata }) => KINDS.map((kind) => admin.list(kind, metadata.name))),
  )
  const things = lists.flat().filter(({ kind, metadata }) => !FOREIGN.includes(`${kind} ${metadata.name}`))
  const replace = replacements(things, prefix)
  const texts = things.map((thing) => {
    // Names are replaced before the sort, because different names would also sort differently.
    const named: unknown = JSON.parse(replace(JSON.stringify(opened(thing))))
    return `${replace(titleOf(thing))} ${JSON.stringify(cleaned(named), undefined, 1)}`
  })
  return texts.sort()
}

/** Throws with the lines that differ. */
export function assertSameState(actual: readonly string[], expected: readonly string[], what: string): void {
  const difference = differenceOf(actual, expected)
  if (difference.length > 0) throw new Error(`${what}:\n${difference.slice(0, MAX_LINES).join('\n')}`)
}

/** Returns the differing lines after the object's title: `- ` for missing lines, `+ ` for surplus lines. */
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

/**
 * Decodes texts that are JSON or base64, so that names in them are replaced too. Removes the statuses that Kubernetes
 * writes.
 */
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

/**
 * Removes the dropped fields and sorts the keys. `generation` is dropped too: it counts an object's edits, so it
 * depends on the history.
 */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key) && key !== 'generation')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, cleaned(member)]))
}

/** Returns a function that replaces uids, names of values, digests and the prefix by placeholders. */
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
  // The operator's namespace is named in its NetworkPolicies, and each run has its own.
  pairs.set(`lease-${prefix.replace(/-$/, '')}`, '<namespace of the operator>')
  // The Lease is named after the class, and each LLMGateway names the Lease.
  pairs.set(`llm-gateway-operator-${prefix.replace(/-$/, '')}`, '<Lease of the operator>')
  pairs.delete('')
  return (text) => {
    const named = [...pairs].reduce((so, [from, to]) => so.replaceAll(from, to), text)
    // A condition that is True is not rewritten for each new pod, so the number may be outdated.
    const counted = named.replaceAll(/\d+ of \d+ ready gateway pods use/g, 'ready gateway pods use')
    return prefix === '' ? counted : counted.replaceAll(prefix, '')
  }
}
