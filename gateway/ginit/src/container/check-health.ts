import { get } from 'node:http'
import { connect } from 'node:net'
import { gatewaySettings } from '../gateway-settings.ts'

export type HealthCheckOptions = {
  /** gl_config.json, which has the gateway's address. */
  readonly file: string
  readonly environment: NodeJS.ProcessEnv
  /** True for readiness, false for liveness. */
  readonly isReadiness: boolean
}

const LIMIT_MS = 5_000
const ANY_ADDRESS = new Set(['', '0.0.0.0', '::'])
const LOOPBACK = '127.0.0.1'

/**
 * Checks the gateway of this container; resolves with undefined where the gateway is well, else with a sentence that
 * the probe prints.
 */
export async function checkHealth({ file, environment, isReadiness }: HealthCheckOptions): Promise<string | undefined> {
  // While the file is being edited, the gateway runs on with its last good configuration, mostly at the default
  // addresses.
  const settings = (await gatewaySettings(file, environment)) ?? (await gatewaySettings(undefined, environment))
  if (settings === undefined) return 'the gateway has no settings'
  const { admin_host: admin, admin_port: adminPort, gl_port: port } = settings
  if (adminPort === 0) return await probeTcp(port)
  const host = ANY_ADDRESS.has(admin) ? LOOPBACK : admin
  return await probeHttp({ host, port: adminPort, path: isReadiness ? '/readyz' : '/healthz' })
}

type ProbeTarget = { readonly host: string; readonly port: number; readonly path: string }

function probeHttp(target: ProbeTarget): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ ...target, agent: false, signal: AbortSignal.timeout(LIMIT_MS) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? undefined : `${target.path} answers ${response.statusCode}`)
    })
    request.once('error', () => resolve(`no program answers on port ${target.port}`))
  })
}

/** Without an admin port the check only opens a connection. */
function probeTcp(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port, timeout: LIMIT_MS }, () => done(undefined))
    const done = (answer: string | undefined) => {
      socket.destroy()
      resolve(answer)
    }
    for (const event of ['error', 'timeout'] as const)
      socket.once(event, () => done(`no program answers on port ${port}`))
  })
}
