import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeScene } from './kube-scene.ts'

/** As whom the containers of a bus run: no kubelet gives a folder of the node to a pod's group. */
const USER = 65_532

/** Makes volumes of the node's own disk for claims without a class: in the test's cluster nobody else makes them. */
export async function makeHostVolumes(scene: KubeScene, count: number, size: string): Promise<void> {
  const volumes = Array.from({ length: count }, (_, index) => {
    const path = join(scene.cluster.folder, 'volumes', String(index))
    mkdirSync(path, { recursive: true })
    chownSync(path, USER, USER)
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `of-the-node-${index}` },
      spec: {
        capacity: { storage: size },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path, type: 'Directory' },
      },
    }
  })
  await scene.apply(...volumes)
}
