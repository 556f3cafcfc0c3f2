import type { KubeObject, ObjectHead } from '../model/kube-object.ts'
import type { Observation, Snapshot } from '../model/snapshot.ts'
import { composeConfig } from './compose-config.ts'
import { isServed } from './gateway/accept-gateway.ts'
import { gatewaySettings, maskedHeaders } from './gateway/gateway-settings.ts'
import { judgeGateway } from './gateway/judge-gateway.ts'
import { judgeAll, type Statuses } from './judge-all.ts'
import { asStored } from './objects/as-stored.ts'
import { judgeAuthorities } from './objects/check-certificates.ts'
import { makeObjects } from './objects/make-objects.ts'
import { templateProblems } from './objects/template-problems.ts'
import { tlsSettings } from './objects/tls.ts'
import { withHeldBack } from './processors/held-back.ts'
import { withReplays } from './processors/replay-routers.ts'
import { translateProcessors } from './processors/translate-processors.ts'
import { acceptRouters } from './routers/accept-routers.ts'
import { buildEntries } from './routers/build-entries.ts'
import { EntryMemory } from './routers/entry-memory.ts'
import { allAtOnce, inTurns, type Steps } from './steps.ts'

/** All that is to be written for a gateway. */
export type Translation = {
  /** False where settings and call points alone are too large for a ConfigMap: the file in use stays. */
  readonly fits: boolean
  /** "" where it doesn't fit. */
  readonly glConfig: string
  /** `sha256:<hex>` of glConfig. */
  readonly digest: string
  /** `V_…` → text. */
  readonly values: ReadonlyMap<string, string>
  /** Router path → hash of its entry. */
  readonly entries: ReadonlyMap<string, string>
  /** In the order in which they are applied, after configuration and values. */
  readonly objects: readonly KubeObject[]
  /** True where nothing is written: the gateway is paused or refused. */
  readonly frozen: boolean
  /** Objects whose templates have unresolved references: they aren't applied, and existing objects stay. */
  readonly withheld: readonly ObjectHead[]
  /** Keys of the Secrets and ConfigMaps on which the translation depends. */
  readonly sources: ReadonlySet<string>
  statuses(observation: Observation): Statuses
  /** `statuses` in steps of some milliseconds, however many Routers there are. */
  statusSteps(observation: Observation): Steps<Statuses>
}

/**
 * Turns a snapshot into the objects to apply and the statuses to write. The function is pure and sorts everything;
 * `memory` only saves work.
 */
export function translate(snapshot: Snapshot, memory: EntryMemory = new EntryMemory()): Translation {
  return allAtOnce(translationSteps(snapshot, memory))
}

/** translate in steps of some milliseconds, however many Routers there are. */
export function* translationSteps(snapshot: Snapshot, memory: EntryMemory): Steps<Translation> {
  const { gateway } = snapshot
  const authorities = judgeAuthorities(gateway, snapshot.sources)
  yield
  const own = { ...gatewaySettings(gateway), ...tlsSettings(gateway, ({ field }) => authorities.usable.has(field)) }
  const problems = templateProblems(gateway, snapshot.sources, authorities.bad)
  const verdict = judgeGateway(snapshot, own, problems)
  const masked = new Set(maskedHeaders(gateway).map((name) => name.toLowerCase()))
  const acceptances = yield* acceptRouters(snapshot)
  const holding = acceptances.filter(({ reason }) => reason === 'Accepted').map(({ router }) => router)
  const { built, pending, older } = yield* buildEntries(holding, snapshot, { masked, memory })
  const processors = yield* translateProcessors(snapshot, built)
  const settings = {
    ...own,
    request: { processors: processors.requestRows },
    response: { processors: processors.responseRows },
  }
  const all = withReplays(withHeldBack(built, processors.heldBack, memory.heldBack), processors.routers)
  // Rows may have megabytes of paths. Their order follows from the call points, whose hashes are in the order of age.
  const content = JSON.stringify([own, [...processors.entries], processors.kept])
  const composed = yield* memory.config(content, all, () => composeConfig(settings, all, memory.sealed))
  const { objects, withheld } = makeObjects(snapshot, problems)
  const judged = { snapshot, verdict, acceptances, pending, older, processors, composed, withheld }
  return {
    fits: composed.text !== '',
    glConfig: composed.text,
    digest: composed.digest,
    values: composed.values,
    entries: new Map([...composed.entries, ...processors.entries]),
    objects: [...objects, ...processors.objects].map(asStored),
    withheld: [...withheld, ...processors.withheld],
    frozen: !isServed(verdict.accepted),
    sources: new Set([...verdict.sources, ...built.flatMap(({ sources }) => sources)]),
    statuses: (observation) => allAtOnce(judgeAll(judged, observation)),
    statusSteps: (observation) => judgeAll(judged, observation),
  }
}

/**
 * translate with a memory for each gateway, so that an edit costs only the work on the changed entries, and in short
 * turns, so that the Routers of one gateway delay neither the lease nor other gateways.
 */
export class Translator {
  readonly #memories = new Map<string, EntryMemory>()

  /** A key must not be translated again before its last translation has ended. */
  translate(key: string, snapshot: Snapshot): Promise<Translation> {
    const memory = this.#memories.get(key) ?? new EntryMemory()
    this.#memories.set(key, memory)
    return inTurns(translationSteps(snapshot, memory))
  }

  forget(key: string): void {
    this.#memories.delete(key)
  }
}
