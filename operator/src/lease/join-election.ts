import type { Logger } from '@llm-gateway/conf'
import { createKubeClient, createTransport, type KubeAccess } from '@llm-gateway/kube'
import { FIELD_MANAGER } from '../model/names.ts'
import { type Leadership, type LeaseTimings, startLeaderElection } from './leader-election.ts'
import { watchLease } from './watch-lease.ts'

export type Candidacy = {
  readonly identity: string
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Called when a leader loses its lease: the process has to end at once. */
  readonly lost: () => void
  readonly timings?: Partial<LeaseTimings>
}

/** Leaves time for two tries before a lease that can't be renewed is lost. */
const REQUEST_TIMEOUT_MS = 4_000

/** Takes part in the election, on connections of its own, until released. */
export function joinElection(access: KubeAccess, candidacy: Candidacy, logger: Logger): Leadership {
  const transport = createTransport({ access, timeoutMs: REQUEST_TIMEOUT_MS })
  const election = startLeaderElection({ ...candidacy, client: createKubeClient(transport, FIELD_MANAGER), logger })
  const watch = watchLease({ transport, lease: candidacy.lease, onFree: () => election.wake(), logger })
  // A leader doesn't watch its lease.
  void election.elected.then(() => watch.close()) // neither rejects
  return {
    elected: election.elected,
    get isLeading() {
      return election.isLeading
    },
    get predecessor() {
      return election.predecessor
    },
    mayWrite: () => election.mayWrite(),
    wake: () => election.wake(),
    release: async () => {
      await watch.close()
      await election.release()
      await transport.close()
    },
  }
}
