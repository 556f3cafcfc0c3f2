import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Machine, whyNoNode } from './may-run-node.ts'

const SUITABLE: Machine = {
  platform: 'linux',
  status: 'Name:\tnode\nCapEff:\t000001fffeffffff\n',
  isWritable: () => true,
}
const CASES: readonly (readonly [what: Partial<Machine>, reason: string | undefined])[] = [
  [{}, undefined],
  [{ platform: 'darwin' }, 'a Kubernetes node needs Linux'],
  [{ status: 'CapEff:\t0000000000000000\n' }, 'a Kubernetes node needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN'],
  // The default capabilities of a container.
  [{ status: 'CapEff:\t00000000a80425fb\n' }, 'a Kubernetes node needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN'],
  [{ status: 'CapEff:\t00000000a80435fb\n' }, 'a Kubernetes node needs root with CAP_SYS_ADMIN'],
  [{ status: '' }, 'a Kubernetes node needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN'],
  [{ isWritable: (path) => path !== '/sys/fs/cgroup' }, 'a Kubernetes node needs a writable /sys/fs/cgroup'],
]

for (const [what, reason] of CASES) {
  test(`a machine with ${JSON.stringify(what)}: ${reason ?? 'may run a node'}`, () => {
    assert.equal(whyNoNode({ ...SUITABLE, ...what }), reason)
  })
}
