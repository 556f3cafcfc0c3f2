import type { ObservedDeployment } from '../model/snapshot.ts'

/**
 * Whether enough pods of a Deployment are ready. Just after an edit its status is still that of the template before: the pods it
 * tells of run on, so that nothing flaps. Scaled to nothing a Deployment calls itself available; nobody serves then.
 */
export function isServing(deployment: ObservedDeployment | undefined): boolean {
  if (deployment === undefined || deployment.readyReplicas === 0) return false
  return deployment.available || deployment.wasAvailable === true
}
