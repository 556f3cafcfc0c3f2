import type { Logger } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import { type KubeClient, keyOf, type Store } from '@llm-gateway/kube'
import { decodeGateway } from '../kube/decode-resource.ts'
import { createLeaseLife, type LeaseReference } from './lease-life.ts'

/** Decides which LLMGateways this operator looks after, where another installation has the same class. */
export type Claims = {
  /** Resolves with undefined where this operator looks after the LLMGateway, else with the ms until the next check. */
  claim(gateway: LlmGateway): Promise<number | undefined>
  /** The number of LLMGateways that other operators look after. */
  readonly elsewhere: number
  /** Forgets an LLMGateway that was deleted or has another class now. */
  forget(gateway: string): void
}

/**
 * News about a claim. `elsewhere`: another operator looks after the LLMGateway. `unreadable`: another operator is
 * named, and its Lease can't be read. `taken over`: this operator took the LLMGateway over.
 */
export type ClaimChange = 'elsewhere' | 'unreadable' | 'taken over'

export type ClaimsOptions = {
  readonly client: Pick<KubeClient, 'get' | 'merge'>
  readonly gateways: Pick<Store<LlmGateway>, 'get' | 'put'>
  /** Unset: this operator runs without a Lease, so others couldn't tell whether it runs. */
  readonly own?: LeaseReference | undefined
  /** Called once for each LLMGateway and Lease. */
  readonly report: (gateway: LlmGateway, lease: LeaseReference, news: ClaimChange) => void
  readonly logger: Logger
  readonly clock: () => number
  readonly timings?: Partial<ClaimTimings>
}

export type ClaimTimings = {
  /** Longer than a restart for a drained node or a new image, so that other operators don't notice restarts. */
  readonly silentMs: number
  readonly lookAgainMs: number
}

const TIMINGS: ClaimTimings = { silentMs: 60_000, lookAgainMs: 10_000 }
/**
 * Another client wrote or deleted the object meanwhile: the claim is tried again once the watch has brought the change.
 */
const OVERTAKEN_MS = 200
const OVERTAKEN: ReadonlySet<number> = new Set([404, 409])
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

/**
 * status.operator of an LLMGateway names the Lease of the operator that looks after it. The first operator writes it,
 * and others leave the LLMGateway alone while that Lease is renewed. Each write names the version that it was decided
 * on, so that one of two operators wins.
 */
export function createClaims(options: ClaimsOptions): Claims {
  const { client, gateways, own, report, logger, clock } = options
  const { silentMs, lookAgainMs } = { ...TIMINGS, ...options.timings }
  const lifeOf = createLeaseLife({ client, clock, silentMs })
  /** LLMGateway → the Lease that looks after it, and the news that was reported. */
  const others = new Map<string, { readonly lease: LeaseReference; readonly news: ClaimChange }>()
  /** uids of LLMGateways whose status keeps no claim: their CRD is older, or a policy refuses the field. */
  const unclaimable = new Set<string>()

  const tell = (gateway: LlmGateway, lease: LeaseReference, news: ClaimChange): void => {
    const key = keyOf(gateway.metadata)
    const before = others.get(key)
    others.set(key, { lease, news })
    if (before !== undefined && before.news === news && isSame(before.lease, lease)) return
    report(gateway, lease, news)
  }
  const write = async (gateway: LlmGateway, operator: LeaseReference): Promise<number | undefined> => {
    const { namespace, name, uid, resourceVersion } = gateway.metadata
    if (unclaimable.has(uid)) return undefined
    const patch = { metadata: { uid, resourceVersion }, status: { operator } }
    const outcome = await client.merge({ kind: 'LLMGateway', namespace, name }, patch, 'status')
    if (outcome.kind === 'refused' && OVERTAKEN.has(outcome.status)) return OVERTAKEN_MS
    const key = keyOf(gateway.metadata)
    const written = outcome.kind === 'written' ? decodeGateway(outcome.object, gateways.get(key)) : undefined
    if (written !== undefined) gateways.put(written, true)
    if (!isSame(written?.status.operator, operator)) {
      // An API server in trouble may take the claim at the next reconciliation.
      if (outcome.kind === 'written' || !isTrouble(outcome.status)) unclaimable.add(uid)
      const code = outcome.kind === 'refused' ? outcome.code : 'NOT_KEPT'
      logger.warn(
        { llmgateway: key, code },
        'llmgateway could not be claimed, so another installation may write it too',
      )
    }
    return undefined
  }
  return {
    claim: async (gateway) => {
      const key = keyOf(gateway.metadata)
      const { operator } = gateway.status
      if (operator === undefined || isSame(operator, own)) {
        others.delete(key)
        return own === undefined || operator !== undefined ? undefined : write(gateway, own)
      }
      const life = await lifeOf(operator)
      if (life !== 'over') {
        tell(gateway, operator, life === 'unknown' ? 'unreadable' : 'elsewhere')
        return lookAgainMs
      }
      const againMs = own === undefined ? undefined : await write(gateway, own)
      if (againMs !== undefined) return againMs
      tell(gateway, operator, 'taken over')
      others.delete(key)
      return undefined
    },
    get elsewhere() {
      return others.size
    },
    forget: (gateway) => {
      others.delete(gateway)
    },
  }
}

function isTrouble(status: number): boolean {
  return status === TOO_MANY_REQUESTS || status >= SERVER_ERROR
}

function isSame(one: LeaseReference | undefined, other: LeaseReference | undefined): boolean {
  return one !== undefined && one.namespace === other?.namespace && one.name === other.name
}
