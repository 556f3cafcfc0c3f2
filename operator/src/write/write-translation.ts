import type { LlmGateway } from '@llm-gateway/crds'
import { type Component, componentOf, type KubeObject, ownedMetadata } from '../model/kube-object.ts'
import type { ConfigMap } from '../model/manifest.ts'
import { CONFIG_KEY, namesOf } from '../model/names.ts'
import type { ApplyFailure, ObjectName } from '../model/snapshot.ts'
import type { Translation } from '../translate/translate.ts'
import { prunedValues, unionValues } from '../translate/variables/union-values.ts'
import type { Applier } from './applier.ts'
import {
  busToken,
  ensureSecret,
  type GeneratedSecretOptions,
  type SecretOutcome,
  webSecret,
} from './generated-secret.ts'
import type { PruneFacts, PruneResult, Pruner } from './prune.ts'
import type { ValuesOutcome, ValuesSecret } from './values-secret.ts'

export type ConfigWriteResult = {
  readonly valuesRevision: string
  /** True when the ConfigMap holds the translated configuration. */
  readonly configured: boolean
  readonly nameConflicts: readonly ObjectName[]
  readonly failures: readonly ApplyFailure[]
}

export type ObjectsWriteResult = Pick<ConfigWriteResult, 'nameConflicts' | 'failures'> & {
  /** True when the gateway's own objects are as translated. A Processor's or web interface's faults hold nothing up. */
  readonly complete: boolean
}

export type Writer = {
  /**
   * Writes values as the union of live and next, then the configuration. In this order no new configuration meets old
   * values.
   */
  writeConfig(gateway: LlmGateway, translation: Translation): Promise<ConfigWriteResult>
  writeObjects(gateway: LlmGateway, translation: Translation): Promise<ObjectsWriteResult>
  /** Drops values that no pod needs any more, and deletes unwanted objects. */
  prune(gateway: LlmGateway, translation: Translation, moment: PruneFacts): Promise<PruneResult>
  /** Returns the revision of the stored values, for a gateway to which the operator writes nothing. */
  revision(gateway: LlmGateway): Promise<string>
}

export type WriterOptions = {
  readonly applier: Applier
  readonly values: ValuesSecret
  readonly generated: GeneratedSecretOptions
  readonly pruner: Pruner
}

export function createWriter({ applier, values, generated, pruner }: WriterOptions): Writer {
  const applyAll = async (objects: readonly KubeObject[]) => {
    const nameConflicts: ObjectName[] = []
    const failures: ApplyFailure[] = []
    let complete = true
    for (const object of objects) {
      const what = { kind: object.kind, name: object.metadata.name }
      const outcome = await applier.apply(object)
      if (outcome.kind === 'name conflict') nameConflicts.push(what)
      if (outcome.kind === 'refused') failures.push({ ...what, code: outcome.code, fields: outcome.fields })
      const isWritten = outcome.kind === 'applied' || outcome.kind === 'unchanged'
      if (!isWritten && !OPTIONAL_COMPONENTS.has(componentOf(object.metadata.labels))) complete = false
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
      const what = { kind: 'Secret', name: namesOf(gateway.metadata).values }
      const before = await values.read(gateway)
      if (!translation.fits)
        return { valuesRevision: revisionOf(before), configured: false, nameConflicts: [], failures: [] }
      const write = before.kind === 'found' ? unionValues(before.live, translation.values) : undefined
      const after = write === undefined ? before : await values.write(gateway, write)
      const revision = { valuesRevision: revisionOf(after) }
      if (after.kind === 'name conflict') return { ...revision, configured: false, nameConflicts: [what], failures: [] }
      if (after.kind === 'refused') {
        return { ...revision, configured: false, nameConflicts: [], failures: [{ ...what, code: after.code }] }
      }
      const { complete: configured, ...outcome } = await applyAll([configMap(gateway, translation)])
      return { ...revision, ...outcome, configured }
    },
    writeObjects: async (gateway, translation) => {
      const token = await ensureSecret(gateway, busToken(gateway), generated)
      const { token: tokenName, web } = namesOf(gateway.metadata)
      if (token.kind !== 'there') return { ...faultOf(tokenName, token), complete: false }
      const secret = await ensureSecret(gateway, webSecret(gateway), generated)
      const { nameConflicts, failures } = faultOf(web, secret)
      // Without a Secret of its own the web interface isn't started: nobody logs in with another owner's text. Calls
      // need no web interface, so the other objects are applied.
      const isHeldUp = ({ kind, metadata }: KubeObject) =>
        secret.kind !== 'there' && kind === 'Deployment' && metadata.name === web
      const rest = await applyAll(translation.objects.filter((object) => !isHeldUp(object)))
      return {
        ...rest,
        nameConflicts: [...nameConflicts, ...rest.nameConflicts],
        failures: [...failures, ...rest.failures],
      }
    },
    prune: async (gateway, translation, moment) => {
      if (moment.settled) await pruneValues(gateway, translation)
      return pruner.prune(gateway, translation, moment)
    },
    revision: async (gateway) => revisionOf(await values.read(gateway)),
  }
}

const OPTIONAL_COMPONENTS: ReadonlySet<Component | undefined> = new Set(['processor', 'web'])

function faultOf(name: string, outcome: SecretOutcome): Pick<ObjectsWriteResult, 'nameConflicts' | 'failures'> {
  const what = { kind: 'Secret', name }
  return {
    nameConflicts: outcome.kind === 'name conflict' ? [what] : [],
    failures: outcome.kind === 'refused' ? [{ ...what, code: outcome.code }] : [],
  }
}

function revisionOf(outcome: ValuesOutcome): string {
  return String(outcome.kind === 'found' ? (outcome.live?.revision ?? 0) : 0)
}

function configMap({ metadata }: LlmGateway, { glConfig }: Translation): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ownedMetadata(metadata, namesOf(metadata).config, 'gateway'),
    data: { [CONFIG_KEY]: glConfig },
  }
}
