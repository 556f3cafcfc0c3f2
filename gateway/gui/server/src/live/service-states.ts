import { setTimeout as delay } from 'node:timers/promises'
import { readSmallFile } from '@llm-gateway/conf'

export type ServiceStatus = {
  readonly state: 'healthy' | 'starting' | 'ended'
  /** RFC 3339 */
  readonly since: string
  readonly starts: number
}
export type ServiceStates = ReadonlyMap<string, ServiceStatus>

const LONGEST_RESTART_MS = 30_000
const POLL_MS = 100

/** Reads the supervisor's file, to which SERVICES_STATE leads; empty if there is no readable file. Never rejects. */
export async function readServiceStates(path: string | undefined): Promise<ServiceStates> {
  if (path === undefined) return new Map()
  try {
    const entries = Object.entries<unknown>(Object(JSON.parse((await readSmallFile(path)).toString())))
    return new Map(entries.flatMap(([name, entry]) => knownState(entry).map((state) => [name, state] as const)))
  } catch {
    return new Map() // There is no supervisor, or it is just ending.
  }
}

/**
 * Waits until a service is healthy that wasn't so at `sinceMs` (Unix ms), but became healthy later. Returns false after
 * 30 s; undefined where the file has no state of the service.
 */
export async function awaitRestart(
  path: string | undefined,
  service: string,
  sinceMs: number,
): Promise<boolean | undefined> {
  const until = Date.now() + LONGEST_RESTART_MS
  while (Date.now() < until) {
    const found = (await readServiceStates(path)).get(service)
    if (found === undefined) return undefined
    if (found.state === 'healthy' && Date.parse(found.since) >= sinceMs) return true
    await delay(POLL_MS)
  }
  return false
}

function knownState(entry: unknown): readonly ServiceStatus[] {
  const { state, since, starts } = Object(entry)
  const isKnown = state === 'healthy' || state === 'starting' || state === 'ended'
  return isKnown && typeof since === 'string' && typeof starts === 'number' ? [{ state, since, starts }] : []
}
