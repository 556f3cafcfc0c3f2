import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeScene } from './kube-scene.ts'

/** The user of the bus's containers: the kubelet doesn't give a host folder to a pod's group. */
const USER = 65_532

/** Makes volumes on the node's disk for claims without a class, since the test's cluster has no provisioner. */
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
