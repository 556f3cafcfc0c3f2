import { checkGlConfig } from '@llm-gateway/conf'
import { llmGatewaySchema, processorSchema, routerSchema } from '@llm-gateway/crds'
import { parse, stringify } from 'yaml'
import type { Observation, ObservedPod, ObservedProcessor, Snapshot, Source } from '../snapshot.ts'
import { COMPONENT_LABEL } from './kube-object.ts'
import { TEMPLATE_ENVIRONMENT } from './objects/tls.ts'
import { PROCESSOR_LABEL } from './processors/processor-names.ts'
import { translate } from './translate.ts'

/** One translation as people read it: YAML of a snapshot in, YAML of what `show` names out. */
export function goldenText(input: string): string {
  const given = parse(input)
  const snapshot = snapshotOf(given)
  const translation = translate(snapshot)
  const { routers, ...settings } = JSON.parse(translation.glConfig)
  const statuses = translation.statuses(observationOf(given, translation))
  const parts: Readonly<Record<string, unknown>> = {
    settings,
    tls: settings.tls,
    rows: { request: settings.request.processors, response: settings.response.processors },
    routers,
    values: Object.fromEntries(translation.values),
    objects: translation.objects,
    withheld: translation.withheld.map(({ kind, metadata: { name } }) => `${kind} ${name}`),
    objectNames: translation.objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`),
    sinkObjects: translation.objects.filter(({ metadata }) => metadata.labels[COMPONENT_LABEL] === 'sink'),
    processorObjects: translation.objects.filter(({ metadata }) => PROCESSOR_LABEL in metadata.labels),
    frozen: translation.frozen,
    gatewayStatus: statuses.gateway,
    processorStatuses: Object.fromEntries(
      statuses.processors.map(({ processor, status }) => [processor.metadata.name, status]),
    ),
    routerStatuses: Object.fromEntries(
      statuses.routers.map(({ router, status }) => [`${router.metadata.namespace}/${router.metadata.name}`, status]),
    ),
  }
  const show: readonly string[] = given.show
  const named = (name: string) =>
    translation.objects.find((object) => `${object.kind} ${object.metadata.name}` === name)
  const shown = Object.fromEntries(show.map((part) => [part, Object.hasOwn(parts, part) ? parts[part] : named(part)]))
  return stringify(shown, { aliasDuplicateObjects: false, lineWidth: 0 })
}

/** What the gateway's own check says of the configuration that a snapshot gives. */
export function rejectedFields(input: string): unknown {
  const { glConfig, values } = translate(snapshotOf(parse(input)))
  const verdict = checkGlConfig(Buffer.from(glConfig), { environment: TEMPLATE_ENVIRONMENT, secrets: values })
  return verdict.kind === 'checked' ? verdict.config.rejectedFields : verdict
}

type Given = ReturnType<typeof parse>

function snapshotOf(given: Given): Snapshot {
  const sources: Readonly<Record<string, Given>> = given.sources ?? {}
  const others: readonly unknown[] = given.otherGateways ?? []
  const routers: readonly unknown[] = given.routers ?? []
  const processors: readonly unknown[] = given.processors ?? []
  const namespaces: Readonly<Record<string, Given>> = given.namespaces ?? {}
  return {
    gateway: llmGatewaySchema.parse(given.gateway),
    otherGateways: others.map((gateway) => llmGatewaySchema.parse(gateway)),
    routers: routers.map((router) => routerSchema.parse(router)),
    processors: processors.map((processor) => processorSchema.parse(processor)),
    processorDeployments: new Map(Object.entries(given.processorDeployments ?? {})),
    liveCallPoints: given.liveCallPoints ?? [],
    namespaces: new Map(Object.entries(namespaces)),
    sources: new Map(Object.entries(sources).map(([key, source]) => [key, sourceOf(source)])),
    defaultImage: 'llm-gateway:0.1.0',
  }
}

function sourceOf(given: Given): Source {
  if (given === 'failed') return { kind: 'failed' }
  return {
    kind: 'found',
    type: given.type ?? 'Opaque',
    ...(given.version === undefined ? {} : { version: given.version }),
    values: new Map(Object.entries(given.values)),
  }
}

type Expected = { readonly digest: string; readonly entries: ReadonlyMap<string, string> }

function observationOf(whole: Given, { digest, entries }: Expected): Observation {
  const given: Given = whole.observation ?? {}
  const pods: readonly Given[] = given.pods ?? []
  return {
    now: '2026-11-21T02:00:00Z',
    deployment: given.deployment,
    processors: observedProcessors(whole),
    nameConflicts: given.nameConflicts ?? [],
    valuesRevision: '41',
    applyFailures: given.applyFailures ?? [],
    pods: pods.map((pod): ObservedPod => {
      const reported = { kind: 'reported', digest, valuesRevision: '41', entries } as const
      const current = { ...reported, busConnected: pod.bus ?? true }
      const old = { ...current, digest: 'sha256:old', entries: new Map() }
      const reports = { current, old, unreachable: { kind: 'unreachable' }, unknown: { kind: 'unknown' } } as const
      const says: keyof typeof reports = pod.says
      return { name: pod.name, ready: pod.ready ?? true, lagMs: pod.lagMs ?? 0, report: reports[says] }
    }),
  }
}

function observedProcessors({ processorDeployments = {}, observation }: Given): ReadonlyMap<string, ObservedProcessor> {
  const failures: Readonly<Record<string, ObservedProcessor['failure']>> = observation?.processorFailures ?? {}
  const deployments: Readonly<Record<string, ObservedProcessor['deployment']>> = processorDeployments
  return new Map(
    Object.entries(deployments).map(([name, deployment]) => [name, { deployment, failure: failures[name] }]),
  )
}
