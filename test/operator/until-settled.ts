import { type Admin, type StoredObject, textIn } from './admin.ts'
import { type FaultScene, type ProxiedOperator, requestsOf } from './fault-scene.ts'
import { BROKEN } from './gateway-pods.ts'
import { until, untilQuiet } from './wait.ts'

/**
 * Waits until the controllers have made all pods of the namespaces with this prefix, and the leading operator has sent
 * no request into these namespaces for `quietMs`. Late pods change statuses, so silence alone is not enough.
 */
export async function untilSettled(
  { admin }: FaultScene,
  operator: ProxiedOperator,
  { prefix, quietMs }: { readonly prefix: string; readonly quietMs: number },
): Promise<void> {
  await untilStarted(operator)
  const requests = () => requestsOf(operator).filter(({ call }) => call.namespace.startsWith(prefix)).length
  for (let isSettled = false; !isSettled; ) {
    await until('every pod is there', async () => ((await isRolledOut(admin, prefix)) ? true : undefined))
    await untilQuiet(requests, quietMs)
    // A request in the meantime may have made a workload.
    isSettled = await isRolledOut(admin, prefix)
  }
}

/** Waits until the operator's caches are filled and it leads. */
export async function untilStarted({ program }: ProxiedOperator): Promise<void> {
  await until('the start', () => program.lines.entries.find((line) => line.includes('operator started')))
}

async function isRolledOut(admin: Admin, prefix: string): Promise<boolean> {
  const workloads = (await Promise.all(['Deployment', 'StatefulSet'].map((kind) => admin.list(kind)))).flat()
  return workloads.filter(({ metadata }) => metadata.namespace?.startsWith(prefix)).every(hasItsPods)
}

function hasItsPods({ metadata, spec, status }: StoredObject): boolean {
  const wanted = numberIn(spec, 'replicas')
  if (numberIn(status, 'observedGeneration') !== metadata.generation) return false
  if (numberIn(status, 'updatedReplicas') !== wanted) return false
  return JSON.stringify(spec).includes(BROKEN) || numberIn(status, 'readyReplicas') === wanted
}

/** The API server omits a 0. */
function numberIn(holder: unknown, key: string): number {
  return Number(textIn(holder, key) ?? 0)
}
