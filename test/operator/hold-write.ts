import type { Admin } from './admin.ts'
import { isWrite } from './api-call.ts'
import type { FaultRule } from './api-proxy.ts'
import { configText } from './gateway-pods.ts'

/** A write by its number (1, 2, …). The write is held before the API server gets it, or its answer is held. */
export type WritePoint = { readonly count: number; readonly where: 'before' | 'after' }

export type HeldWrite = {
  readonly rule: FaultRule
  readonly reached: boolean
  /** Drops the held write: its sender is gone. */
  drop(): void
  pass(): void
}

/** Holds one write into the namespaces with this prefix. */
export function holdWrite(prefix: string, { count, where }: WritePoint): HeldWrite {
  const { promise, resolve } = Promise.withResolvers<'pass' | 'drop'>()
  let seen = 0
  let reached = false
  const rule: FaultRule = (call) => {
    if (!isWrite(call) || !call.namespace.startsWith(prefix)) return undefined
    seen += 1
    if (seen !== count) return undefined
    const arrived = (): void => {
      reached = true
    }
    return { kind: 'hold', where, reached: arrived, until: promise }
  }
  return {
    rule,
    get reached() {
      return reached
    },
    drop: () => resolve('drop'),
    pass: () => resolve('pass'),
  }
}

/** Returns references in the pods' current configuration that have no value in the Secret. There must never be one. */
export async function danglingReferences(admin: Admin, namespace: string): Promise<readonly string[]> {
  const [config, values] = await Promise.all([
    admin.get({ kind: 'ConfigMap', namespace, name: 'main-config' }),
    admin.get({ kind: 'Secret', namespace, name: 'main-values' }),
  ])
  const names = new Set((configText(config) ?? '').match(/V_[0-9a-f]{16}/g))
  return [...names].filter((name) => !Object.hasOwn(values?.data ?? {}, name))
}
