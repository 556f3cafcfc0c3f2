import { type Admin, type StoredObject, textIn } from './admin.ts'
import { configText } from './gateway-pods.ts'
import { routerOf, secretOf } from './mixed-set.ts'
import { until } from './wait.ts'

/**
 * Makes one change of each sort to a `mixedSet`: edits a Router, makes another, deletes the one of the round before and
 * rotates a key. `serial` counts up from 1.
 */
export async function editRound(admin: Admin, prefix: string, serial: number): Promise<void> {
  const namespace = `${prefix}llm`
  const spec = { outbound: { headers: { 'X-Serial': [String(serial)] } } }
  await admin.merge({ kind: 'Router', namespace, name: 'plain' }, { spec })
  await admin.apply(routerOf({ namespace, name: `round-${serial}` }))
  await admin.remove({ kind: 'Router', namespace, name: `round-${serial - 1}` })
  await admin.apply(secretOf(namespace, 'azure', { key: `key-${serial}` }))
}

/** Waits until the round is in configuration, values and statuses. Returns the milliseconds that this took. */
export async function untilRoundIsLive(
  admin: Admin,
  prefix: string,
  serial: number,
  withinMs = 120_000,
): Promise<number> {
  const began = performance.now()
  let missing = ''
  const look = async (): Promise<true | undefined> => {
    missing = await whatIsMissing(admin, prefix, serial)
    return missing === '' ? true : undefined
  }
  await until('a round of edits', look, { withinMs }).catch((cause) => {
    throw new Error(`round ${serial}: ${missing}`, { cause })
  })
  return performance.now() - began
}

async function whatIsMissing(admin: Admin, prefix: string, serial: number): Promise<string> {
  const namespace = `${prefix}llm`
  const text = configText(await admin.get({ kind: 'ConfigMap', namespace, name: 'main-config' })) ?? '{"routers":[]}'
  const { routers }: { readonly routers: readonly { readonly path: string }[] } = JSON.parse(text)
  const pathOf = (path: string) => routers.find((entry) => entry.path === path)
  if (!JSON.stringify(pathOf('/plain/') ?? '').includes(`"X-Serial":["${serial}"]`)) return 'the edited Router'
  if (pathOf(`/round-${serial}/`) === undefined) return 'the new Router'
  if (pathOf(`/round-${serial - 1}/`) !== undefined) return 'the deletion of a Router'
  const values = await admin.get({ kind: 'Secret', namespace, name: 'main-values' })
  const key = Buffer.from(`key-${serial}`).toString('base64')
  if (!Object.values(values?.data ?? {}).includes(key)) return 'the rotated key'
  for (const name of ['plain', `round-${serial}`]) {
    const router = await admin.get({ kind: 'Router', namespace, name })
    if (!says(router, 'Programmed', 'True')) return `the status of Router ${name}: ${JSON.stringify(router?.status)}`
  }
  return ''
}

/** Returns whether a condition of the object's present generation has this status, and this reason if given. */
export function says(object: StoredObject | undefined, type: string, status: string, reason?: string): boolean {
  const conditions: unknown = Object.entries(object?.status ?? {}).find(([key]) => key === 'conditions')?.[1]
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (one: unknown) =>
        textIn(one, 'type') === type &&
        textIn(one, 'status') === status &&
        (reason === undefined || textIn(one, 'reason') === reason) &&
        textIn(one, 'observedGeneration') === String(object?.metadata.generation),
    )
  )
}
