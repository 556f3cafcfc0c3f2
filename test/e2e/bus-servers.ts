import assert from 'node:assert/strict'
import type { KubeScene } from './kube-scene.ts'
import { killPod, type Pod, podsOf } from './pods.ts'

/** The servers of the managed bus of the gateway `main`. */
export type BusServers = {
  /** Kills the program of each server with SIGKILL. The next server follows when all are ready again. */
  killEach(): Promise<void>
  /** Deletes the pod of each server in the same way, at least once each and until `act` is done. */
  deleteEachWhile(act: () => Promise<void>): Promise<void>
}

const NAMES = ['main-bus-0', 'main-bus-1', 'main-bus-2'] as const

export function busServers(scene: KubeScene, namespace: string): BusServers {
  const list = () => podsOf(scene, namespace, 'llmgateway.io/bus=main')
  /** Waits until all servers are ready; a ready server has caught up with the others. */
  const untilReady = (what: string, is: (pod: Pod) => boolean): Promise<readonly Pod[]> =>
    scene.until(what, async () => {
      const pods = await list()
      const areReady = pods.length === NAMES.length && pods.every(({ isReady }) => isReady)
      return areReady && pods.some(is) ? pods : undefined
    })
  const find = async (name: string): Promise<Pod> => {
    const pod = (await untilReady('three ready servers', () => true)).find((candidate) => candidate.name === name)
    assert.ok(pod !== undefined, name)
    return pod
  }
  const kill = async (name: string): Promise<void> => {
    const victim = await find(name)
    await killPod(scene, victim)
    await untilReady(`${name} after its kill`, ({ uid, restarts }) => uid === victim.uid && restarts > victim.restarts)
  }
  const remove = async (name: string): Promise<void> => {
    const victim = await find(name)
    await scene.kubectl(['-n', namespace, 'delete', 'pod', name])
    await untilReady(`${name} after its deletion`, (pod) => pod.name === name && pod.uid !== victim.uid)
  }
  return {
    killEach: async () => {
      for (const name of NAMES) await kill(name)
    },
    deleteEachWhile: async (act) => {
      let isDone = false
      const removeOn = async (): Promise<void> => {
        do {
          for (const name of NAMES) await remove(name)
        } while (!isDone)
      }
      const acted = act().finally(() => {
        isDone = true
      })
      await Promise.all([acted, removeOn()])
    },
  }
}
