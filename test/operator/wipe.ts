import type { Admin, StoredObject } from './admin.ts'
import { until } from './wait.ts'

const MADE = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ServiceAccount',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'ConfigMap',
  'Secret',
]
const WRITTEN = ['LLMGateway', 'Router', 'Processor']

/** Returns the objects that an operator made in the namespaces with this prefix. */
export async function madeIn(admin: Admin, prefix: string): Promise<readonly StoredObject[]> {
  const things = await listIn(admin, prefix, MADE)
  return things.filter(({ metadata }) => metadata.ownerReferences?.some(({ controller }) => controller))
}

/** Removes the operator's objects and statuses. Resources of people stay. */
export async function wipe(admin: Admin, prefix: string): Promise<void> {
  for (const { kind, metadata } of await madeIn(admin, prefix)) {
    const { namespace = '', name } = metadata
    await admin.remove({ kind, namespace, name })
  }
  for (const { kind, metadata } of await listIn(admin, prefix, WRITTEN)) {
    const { namespace = '', name } = metadata
    await admin.merge({ kind, namespace, name }, { status: null }, 'status')
  }
  await until('all objects are deleted', async () => ((await madeIn(admin, prefix)).length === 0 ? true : undefined))
  // Old pods outlive their owners and would mix with the new pods.
  const podsAreGone = async () => ((await listIn(admin, prefix, ['Pod'])).length === 0 ? true : undefined)
  await until('the pods are gone', podsAreGone, { withinMs: 180_000 })
}

async function listIn(admin: Admin, prefix: string, kinds: readonly string[]): Promise<readonly StoredObject[]> {
  const lists = await Promise.all(kinds.map((kind) => admin.list(kind)))
  return lists.flat().filter(({ metadata }) => metadata.namespace?.startsWith(prefix))
}
