import type { Logger } from '@llm-gateway/conf'
import { namespacePath, type Transport, TransportError } from '@llm-gateway/kube'

/**
 * Whether the admission policies hold this operator's account to its label. `missing`: no policy does. `unknown`: RBAC
 * refuses the probe, or the API server doesn't answer.
 */
export type PolicyState = 'hold' | 'missing' | 'unknown'

export type PolicyWatchOptions = {
  readonly transport: Pick<Transport, 'request'>
  /** A namespace in which the operator has its rights. */
  readonly namespace: string
  readonly logger: Logger
  readonly timings?: Partial<PolicyTimings>
}

export type PolicyTimings = {
  /** The first probe waits, since policies that are applied together with the operator need a moment to take effect. */
  readonly firstMs: number
  readonly againMs: number
}

export type PolicyWatch = {
  readonly state: PolicyState
  close(): void
}

const TIMINGS: PolicyTimings = { firstMs: 10_000, againMs: 600_000 }
const LESS_OFTEN = 6
const PROBE = 'llm-gateway-operator-policy-probe'
const INVALID = 422

/**
 * Tries, as a dry run, a write that the policies forbid this operator: a ConfigMap without its label. Policies name an
 * account, and only this probe shows that they name another account.
 */
export function watchPolicies({ transport, namespace, logger, timings = {} }: PolicyWatchOptions): PolicyWatch {
  const { firstMs, againMs } = { ...TIMINGS, ...timings }
  let state: PolicyState = 'unknown'
  let closed = false

  const look = async (): Promise<void> => {
    const before = state
    state = await probe(transport, namespace)
    if (state === 'missing' && before !== state)
      logger.error(
        { namespace },
        'no admission policy limits this account: it may write every object that its roles name',
      )
    timer = closed ? undefined : after(state === 'hold' ? againMs : Math.min(againMs, firstMs * LESS_OFTEN))
  }
  const after = (ms: number): NodeJS.Timeout => setTimeout(() => void look(), ms).unref() // never rejects
  let timer: NodeJS.Timeout | undefined = after(firstMs)
  return {
    get state() {
      return state
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

async function probe({ request }: Pick<Transport, 'request'>, namespace: string): Promise<PolicyState> {
  try {
    const { status } = await request({
      method: 'PATCH',
      path: `${namespacePath('ConfigMap', namespace)}/${PROBE}?fieldManager=${PROBE}&dryRun=All`,
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: PROBE, namespace } },
    })
    if (status === INVALID) return 'hold'
    return status < 300 ? 'missing' : 'unknown'
  } catch (error) {
    if (error instanceof TransportError) return 'unknown'
    throw error
  }
}
