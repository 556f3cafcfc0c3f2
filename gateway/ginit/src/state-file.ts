import { randomBytes } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type ServiceState = 'starting' | 'healthy' | 'ended'

export type StateFile = {
  /** The path for readers, given to services as SERVICES_STATE; undefined where no folder could be made. */
  readonly path: string | undefined
  setState(name: string, state: ServiceState): void
  close(): void
}

type ServiceRecord = { readonly state: ServiceState; readonly since: string; readonly starts: number }

/**
 * Opens a file with the states of services: `{"<name>":{"state":"healthy","since":"<RFC 3339>","starts":1}}`. The
 * services also run without the file.
 */
export function openStateFile(now: () => Date): StateFile {
  const folder = createFolder()
  const path = folder === undefined ? undefined : join(folder, 'services.json')
  const services = new Map<string, ServiceRecord>()
  return {
    path,
    setState(name, state) {
      const starts = (services.get(name)?.starts ?? 0) + (state === 'starting' ? 1 : 0)
      services.set(name, { state, since: now().toISOString(), starts })
      if (path !== undefined) replace(path, JSON.stringify(Object.fromEntries(services)))
    },
    close: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'llm-gateway-ginit-'))
  } catch {
    return undefined // The file system is read-only: the services run, and their states aren't shown.
  }
}

function replace(path: string, text: string): void {
  const next = `${path}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(next, text, { mode: 0o600 })
    renameSync(next, path)
  } catch {
    rmSync(next, { force: true }) // The disk is full: the file keeps its old states.
  }
}
