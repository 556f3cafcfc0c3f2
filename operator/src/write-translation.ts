import type { LlmGateway } from '@llm-gateway/crds'
import { type BusTokenOptions, ensureBusToken } from './bus-token.ts'
import type { Applier } from './kube/applier.ts'
import type { Pruned, PruneMoment, Pruner } from './prune/prune.ts'
import { componentOf, type KubeObject, ownedMetadata } from './translate/kube-object.ts'
import { CONFIG_KEY, namesOf } from './translate/names.ts'
import type { Translation } from './translate/translate.ts'
import { prunedValues, unionValues } from './translate/variables/union-values.ts'
import type { ValuesOutcome, ValuesSecret } from './values-secret.ts'

export type Written = {
  readonly valuesRevision: string
  /** The configuration stands there as it should. */
  readonly configured: boolean
  readonly nameConflicts: readonly string[]
  /** `ConfigMap main-config: Forbidden`, `Deployment main: Invalid (spec.replicas)`. */
  readonly failures: readonly string[]
}

export type WrittenObjects = Pick<Written, 'nameConflicts' | 'failures'> & {
  /** What is the gateway's own stands there as it should; a Processor that is in somebody's way holds nothing up. */
  readonly complete: boolean
}

export type Writer = {
  /** Values as the union of live and next, then the configuration. This order is what keeps new configuration from old values. */
  writeConfig(gateway: LlmGateway, translation: Translation): Promise<Written>
  writeObjects(gateway: LlmGateway, translation: Translation): Promise<WrittenObjects>
  /** Drops values that no pod needs any more, and deletes what isn't wanted any more. */
  prune(gateway: LlmGateway, translation: Translation, moment: PruneMoment): Promise<Pruned>
  /** What pods of a gateway that isn't written to are to have. */
  revision(gateway: LlmGateway): Promise<string>
}

export type WriterOptions = {
  readonly applier: Applier
  readonly values: ValuesSecret
  readonly token: BusTokenOptions
  readonly pruner: Pruner
}

export function createWriter({ applier, values, token, pruner }: WriterOptions): Writer {
  const applied = async (objects: readonly KubeObject[]) => {
    const nameConflicts: string[] = []
    const failures: string[] = []
    let complete = true
    for (const object of objects) {
      const what = `${object.kind} ${object.metadata.name}`
      const outcome = await applier.apply(object)
      if (outcome.kind === 'name conflict') nameConflicts.push(what)
      if (outcome.kind === 'refused') failures.push(`${what}: ${outcome.code}${named(outcome.fields)}`)
      const isWritten = outcome.kind === 'applied' || outcome.kind === 'unchanged'
      if (!isWritten && componentOf(object.metadata.labels) !== 'processor') complete = false
    }
    return { nameConflicts, failures, complete }
  }
  const pruneValues = async (gateway: LlmGateway, translation: Translation): Promise<void> => {
    const before = await values.read(gateway)
    if (before.kind !== 'found' || before.live === undefined) return
    const write = prunedValues(before.live, translation.values)
    if (write !== undefined) await values.write(gateway, write)
  }
  return {
    writeConfig: async (gateway, translation) => {
      const what = `Secret ${namesOf(gateway.metadata).values}`
      const before = await values.read(gateway)
      const write = before.kind === 'found' ? unionValues(before.live, translation.values) : undefined
      const after = write === undefined ? before : await values.write(gateway, write)
      const revision = { valuesRevision: revisionOf(after) }
      if (after.kind === 'name conflict') return { ...revision, configured: false, nameConflicts: [what], failures: [] }
      if (after.kind === 'refused') {
        return { ...revision, configured: false, nameConflicts: [], failures: [`${what}: ${after.code}`] }
      }
      const { complete: configured, ...outcome } = await applied([configMap(gateway, translation)])
      return { ...revision, ...outcome, configured }
    },
    writeObjects: async (gateway, translation) => {
      const made = await ensureBusToken(gateway, token)
      const what = `Secret ${namesOf(gateway.metadata).token}`
      if (made.kind === 'name conflict') return { nameConflicts: [what], failures: [], complete: false }
      if (made.kind === 'refused') {
        return { nameConflicts: [], failures: [`${what}: ${made.code}`], complete: false }
      }
      return applied(translation.objects)
    },
    prune: async (gateway, translation, moment) => {
      if (moment.settled) await pruneValues(gateway, translation)
      return pruner.prune(gateway, translation, moment)
    },
    revision: async (gateway) => revisionOf(await values.read(gateway)),
  }
}

function named(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` (${fields.join(', ')})`
}

function revisionOf(outcome: ValuesOutcome): string {
  return String(outcome.kind === 'found' ? (outcome.live?.revision ?? 0) : 0)
}

function configMap({ metadata }: LlmGateway, { glConfig }: Translation): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ownedMetadata(metadata, namesOf(metadata).config, 'gateway'),
    data: { [CONFIG_KEY]: glConfig },
  }
}
