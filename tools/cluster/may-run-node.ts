import { accessSync, constants } from 'node:fs'

export type Machine = {
  readonly platform: NodeJS.Platform
  /** The text of /proc/self/status. */
  readonly status: string
  readonly isWritable: (path: string) => boolean
}

/** Bits of the capability set. */
const CAPABILITIES = [
  { bit: 21n, name: 'CAP_SYS_ADMIN' },
  { bit: 12n, name: 'CAP_NET_ADMIN' },
] as const
const CGROUPS = '/sys/fs/cgroup'

/** Returns the reason why the namespaces and cgroups of a Kubernetes node can't be made on this machine; undefined when they can. */
export function whyNoNode({ platform, status, isWritable }: Machine): string | undefined {
  if (platform !== 'linux') return 'a Kubernetes node needs Linux'
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  const lacking = CAPABILITIES.filter(({ bit }) => ((effective >> bit) & 1n) === 0n)
  if (lacking.length > 0) return `a Kubernetes node needs root with ${lacking.map(({ name }) => name).join(' and ')}`
  return isWritable(CGROUPS) ? undefined : `a Kubernetes node needs a writable ${CGROUPS}`
}

/** Returns whether a path is writable; on a read-only file system not even root may write. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
