import { type Admin, type StoredObject, textIn } from './admin.ts'
import { type FaultScene, type ProxiedOperator, requestsOf } from './fault-scene.ts'
import { BROKEN } from './gateway-pods.ts'
import { until, untilQuiet } from './wait.ts'

/**
 * Until the controllers have made all pods of the namespaces that begin with `prefix`, and the operator, which leads, has
 * asked for nothing for `quietMs`. Pods that come late change statuses: quiet alone may be before they come.
 */
export async function untilSettled(
  { admin }: FaultScene,
  operator: ProxiedOperator,
  { prefix, quietMs }: { readonly prefix: string; readonly quietMs: number },
): Promise<void> {
  await untilStarted(operator)
  for (let isSettled = false; !isSettled; ) {
    await until('every pod is there', async () => ((await isRolledOut(admin, prefix)) ? true : undefined))
    await untilQuiet(() => requestsOf(operator).length, quietMs)
    // What it asked for meanwhile may have been a workload.
    isSettled = await isRolledOut(admin, prefix)
  }
}

/** Its caches are filled and it leads. */
export async function untilStarted({ program }: ProxiedOperator): Promise<void> {
  await until('its start', () => program.lines.entries.find((line) => line.includes('operator started')))
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

/** 0 where it isn't there: so the API server writes it. */
function numberIn(holder: unknown, key: string): number {
  return Number(textIn(holder, key) ?? 0)
}
