import type { Logger } from '@llm-gateway/conf'
import {
  decodeMetadata,
  namespacePath,
  type Reflector,
  Store,
  type Stored,
  startReflector,
  type Transport,
} from '@llm-gateway/kube'
import { decodeLease } from './lease-record.ts'

export type LeaseWatchOptions = {
  readonly transport: Transport
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Called when the lease has no holder or was deleted. */
  readonly onFree: () => void
  readonly logger: Logger
}

type StoredLease = Stored & { readonly holder: string }

/** Calls `onFree` when the holder gives the lease back, so that a standby leads before its next read of the Lease. */
export function watchLease({ transport, lease, onFree, logger }: LeaseWatchOptions): Reflector {
  const store = new Store<StoredLease>()
  store.onChange(({ after }) => {
    if (after === undefined || after.holder === '') onFree()
  })
  return startReflector({
    transport,
    path: namespacePath('Lease', lease.namespace),
    fieldSelector: `metadata.name=${lease.name}`,
    store,
    decode: (object) => {
      const stored = decodeMetadata(object)
      return stored === undefined ? undefined : { ...stored, holder: decodeLease(object).record.holderIdentity }
    },
    logger,
  })
}
