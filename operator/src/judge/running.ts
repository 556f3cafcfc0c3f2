import type { ObservedDeployment } from '../model/snapshot.ts'

/** A Deployment whose pods all are there; one that is to have none is available too. */
export function running(replicas: number): ObservedDeployment {
  return { available: true, stuck: false, replicas, readyReplicas: replicas, updatedReplicas: replicas }
}
