import { join } from 'node:path'
import { type ApiServer, type ApiServerOptions, startApiServer as start } from '../../tools/cluster/api-server.ts'
import { missingPrograms, programsFolder } from '../../tools/cluster/ensure-programs.ts'
import { waitUntil } from '../../tools/setup/wait-until.ts'

export type { ApiServer } from '../../tools/cluster/api-server.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Another program may take one of the chosen ports before the API server listens. */
const TRIES = 3

/**
 * Starts a real API server on 127.0.0.1 with an etcd of its own and no node. The server is ready when the promise
 * resolves.
 */
export async function startApiServer(
  options: Pick<ApiServerOptions, 'controllers' | 'audit' | 'flags'> = {},
): Promise<ApiServer> {
  const server = await startOnFreePorts({
    ...options,
    bin: programsFolder(ROOT),
    folder: join(ROOT, '.tools/kubernetes/running'),
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  // The API server is ready before its own namespaces exist.
  await waitUntil('namespace default', async () => (await server.kubectl(['get', 'namespace', 'default'])).code === 0)
  return server
}

/** Returns the folder of kubectl and the other programs of Kubernetes. */
export function kubernetesPrograms(): string {
  return programsFolder(ROOT)
}

/** Returns the reason to skip tests (`test(…, { skip })`) with an API server; false if they can or, in CI, must run. */
export function whyNoApiServer(environment: NodeJS.ProcessEnv): string | false {
  const missing = missingPrograms(ROOT).filter((name) => name === 'kubelite' || name === 'etcd')
  if (missing.length === 0 || environment.CI === 'true') return false
  return `${missing.join(', ')} not built: node tools/cluster/main.ts build`
}

async function startOnFreePorts(options: ApiServerOptions, tries = TRIES): Promise<ApiServer> {
  try {
    return await start(options)
  } catch (error) {
    if (tries <= 1 || !String(error).includes('address already in use')) throw error
    return startOnFreePorts(options, tries - 1)
  }
}
