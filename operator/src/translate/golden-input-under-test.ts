import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { MaybeUnreadable, Processor, Router } from '@llm-gateway/crds'
import { parse } from 'yaml'
import { decodeGateway, decodeProcessor, decodeRouter } from '../kube/decode-resource.ts'
import type { Observation, ObservedPod, ObservedProcessor, PodRecords, Snapshot, Source } from '../model/snapshot.ts'
import type { Translation } from './translate.ts'

/** The YAML of a golden's input. Metadata and gatewayRef that are left out have the usual values. */
export type Given = ReturnType<typeof parse>

export function givenIn(input: string): Given {
  return parse(input, { merge: true })
}

export function snapshotOf(given: Given): Snapshot {
  const sources: Readonly<Record<string, Given>> = { ...given.sources, ...sourcesOfMany(given.many) }
  const others: readonly Given[] = given.otherGateways ?? []
  const routers: readonly Given[] = given.routers ?? []
  const processors: readonly Given[] = given.processors ?? []
  const livePoints: readonly Given[] = given.liveCallPoints ?? []
  const liveRouters: readonly Given[] = given.liveRouters ?? []
  const namespaces: Readonly<Record<string, Given>> = given.namespaces ?? {}
  return {
    gateway: read(withMetadata(given.gateway ?? {}, GATEWAY), decodeGateway),
    otherGateways: others.map((gateway) => read(withMetadata(gateway, GATEWAY), decodeGateway)),
    routers: [...routers, ...routersOfMany(given.many)].map(routerOf),
    processors: processors.map(processorOf),
    processorDeployments: new Map(Object.entries(given.processorDeployments ?? {})),
    liveCallPoints: livePoints.map((point) => ({ row: 0, ...point })),
    ...(given.liveRouters === undefined
      ? {}
      : { liveRouters: new Map(liveRouters.map((router) => [router.path, router])) }),
    namespaces: new Map(Object.entries(namespaces)),
    sources: new Map(Object.entries(sources).map(([key, source]) => [key, sourceOf(source)])),
    ...(given.liveValues === undefined ? {} : { liveValues: new Map(Object.entries(given.liveValues)) }),
    ...(given.bus === undefined ? {} : { bus: { annotations: {}, ...given.bus } }),
    defaultImage: given.defaultImage ?? 'llm-gateway:0.1.0',
    operatorNamespace: 'llm-gateway-system',
    webReadRole: { kind: 'ClusterRole', name: 'llm-gateway-web-read' },
    ...(given.lease === undefined ? {} : { lease: given.lease }),
  }
}

export function routerOf(given: Given): Router {
  const { gatewayRef = { name: 'main', namespace: 'llm' }, ...spec } = given.spec
  const namespace = given.metadata?.namespace ?? 'llm'
  const metadata = { ...ROUTER, namespace, uid: `${namespace}-${given.metadata?.name}` }
  return read(withMetadata({ ...given, spec: { gatewayRef, ...spec } }, metadata), decodeRouter)
}

export function processorOf(given: Given): Processor {
  const metadata = { ...ROUTER, namespace: 'llm', uid: given.metadata?.name }
  return read(withMetadata(given, metadata), decodeProcessor)
}

export function observationOf(whole: Given, translation: Pick<Translation, 'digest' | 'entries'>): Observation {
  const given: Given = whole.observation ?? {}
  const pods: readonly Given[] = given.pods ?? []
  return {
    now: NOW,
    deployment: given.deployment,
    rolledOut: given.rolledOut ?? true,
    podFailure: given.podFailure,
    copies: given.copies,
    sinks: new Map(Object.entries(given.sinks ?? {})),
    web: given.web,
    processors: observedProcessors(whole),
    nameConflicts: given.nameConflicts ?? [],
    valuesRevision: '41',
    applyFailures: given.applyFailures ?? [],
    pods: pods.map((pod) => podOf(pod, translation)),
  }
}

export const NOW = '2026-11-21T02:00:00Z'
const ROUTER = { name: 'a', generation: 1, creationTimestamp: '2026-11-21T01:00:00Z' }
const GATEWAY = { ...ROUTER, name: 'main', namespace: 'llm', uid: '11111111-1111-1111-1111-111111111111' }

/** Decodes a resource. `stored` is its present spec, in a form that can't be read; the given spec was read before. */
function read<T extends MaybeUnreadable>(given: Given, decode: (object: unknown, before?: T) => T | undefined): T {
  const before = decode(given)
  assert.ok(before)
  if (given.stored === undefined) {
    assert.equal(before.unreadable !== undefined, given.neverRead === true, JSON.stringify(given))
    return before
  }
  const metadata = { ...given.metadata, generation: given.metadata.generation + 1 }
  const now = decode({ ...given, metadata, spec: given.stored }, before)
  assert.ok(now?.unreadable)
  return now
}

function withMetadata(given: Given, metadata: object): Given {
  return { spec: {}, ...given, metadata: { ...metadata, ...given.metadata } }
}

function sourceOf(given: Given): Source {
  if (given === 'failed' || given === 'pending') return { kind: given }
  return {
    kind: 'found',
    type: given.type ?? 'Opaque',
    ...(given.version === undefined ? {} : { version: given.version }),
    ...(given.made === undefined ? {} : { made: given.made }),
    values: new Map(Object.entries(given.values)),
  }
}

function podOf(pod: Given, { digest, entries }: Pick<Translation, 'digest' | 'entries'>): ObservedPod {
  const rejectedRouters = pod.rejects ?? []
  const more = {
    busConnected: pod.bus ?? true,
    records: recordsOf(pod.records),
    rejectedRouters,
    reloadFailed: pod.reloadFailed ?? false,
  }
  const current = { kind: 'reported', digest, valuesRevision: pod.revision ?? '41', entries, ...more } as const
  const reports = {
    current,
    old: { ...current, digest: 'sha256:old', entries: new Map<string, string>() },
    // Another digest with the same entries, as after a change of a gateway-wide setting.
    'other settings': { ...current, digest: 'sha256:other' },
    incomplete: { ...current, entries: new Map<string, string>() },
    unreachable: { kind: 'unreachable' },
    unknown: { kind: 'unknown' },
  } as const
  const says: keyof typeof reports = pod.says
  return { name: pod.name, ready: pod.ready ?? true, lagMs: pod.lagMs ?? 0, report: reports[says] }
}

function recordsOf(given: Given): PodRecords {
  return { stream: 'on', spooledBytes: 0, ...given }
}

function observedProcessors({ processorDeployments = {}, observation }: Given): ReadonlyMap<string, ObservedProcessor> {
  const failures: Readonly<Record<string, ObservedProcessor['failure']>> = observation?.processorFailures ?? {}
  const deployments: Readonly<Record<string, ObservedProcessor['deployment']>> = processorDeployments
  return new Map(
    Object.entries(deployments).map(([name, deployment]) => [
      name,
      { deployment, failure: failures[name], rolledOut: observation?.processorsRolledOut ?? true },
    ]),
  )
}

/**
 * Makes the Routers of `many: {count, bytes}`: `count` of them, each created a second after the Router before. Each has
 * a key of `bytes` bytes that hardly compresses.
 */
function routersOfMany(many: Given): readonly Given[] {
  const count: number = many?.count ?? 0
  return Array.from({ length: count }, (_, index) => ({
    metadata: { name: numbered(index), creationTimestamp: new Date(Date.parse(NOW) + index * 1000).toISOString() },
    spec: {
      path: `/${numbered(index)}/`,
      outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } },
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: numbered(index), key: 'a' } } }],
    },
  }))
}

function sourcesOfMany(many: Given): Readonly<Record<string, Given>> {
  const count: number = many?.count ?? 0
  const names = Array.from({ length: count }, (_, index) => numbered(index))
  return Object.fromEntries(names.map((name) => [`llm/Secret/${name}`, { values: { a: noise(name, many.bytes) } }]))
}

function numbered(index: number): string {
  return `many-${String(index).padStart(4, '0')}`
}

function noise(seed: string, bytes: number): string {
  const blocks = Math.ceil(bytes / 64)
  const text = Array.from({ length: blocks }, (_, index) =>
    createHash('sha256').update(`${seed}${index}`).digest('hex'),
  )
  return text.join('').slice(0, bytes)
}
