import { join } from 'node:path'
import { type ApiServer, type ApiServerOptions, startApiServer as start } from '../../tools/cluster/api-server.ts'
import { missingPrograms, programsFolder } from '../../tools/cluster/ensure-programs.ts'

export type { ApiServer } from '../../tools/cluster/api-server.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A real API server on 127.0.0.1 over its own etcd, ready when the promise resolves; no node. */
export function startApiServer(
  options: Pick<ApiServerOptions, 'controllers' | 'audit' | 'flags'> = {},
): Promise<ApiServer> {
  return start({
    ...options,
    bin: programsFolder(ROOT),
    folder: join(ROOT, '.tools/kubernetes/running'),
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
}

/** Why there can be none on this machine; false: there can, or there has to be because this is CI. For `test(…, { skip })`. */
export function whyNoApiServer(environment: NodeJS.ProcessEnv): string | false {
  const missing = missingPrograms(ROOT).filter((name) => name === 'kubelite' || name === 'etcd')
  if (missing.length === 0 || environment.CI === 'true') return false
  return `${missing.join(', ')} not built: node tools/cluster/main.ts build`
}
