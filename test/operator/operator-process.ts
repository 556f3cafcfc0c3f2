import { join } from 'node:path'
import { type Program, startProgram } from '../fake/program.ts'

export type OperatorProcessOptions = {
  readonly kubeconfig: string
  /** The operator handles only gateways of this class, so that many operators can share an API server. */
  readonly gatewayClass: string
  /** The namespace of the lease; undefined means that of the installation. */
  readonly namespace?: string | undefined
  /** False runs without a lease. */
  readonly leaderElect?: boolean | undefined
  /** The port for health and metrics; unset means none. */
  readonly port?: number | undefined
  /** The cache for compiled code, which halves the time of a start. */
  readonly cache: string
}

/** The role in the files that the scene applies. */
const READ_ROLE = 'ClusterRole/llm-gateway-web-read.llm-gateway-system'
const MAIN = join(import.meta.dirname, '../../operator/src/main.ts')

/** Starts the operator as a process outside the cluster. */
export function startOperatorProcess(options: OperatorProcessOptions): Promise<Program> {
  const { kubeconfig, gatewayClass, namespace, cache, leaderElect = true, port = 0 } = options
  const args = ['--kubeconfig', kubeconfig, '--class', gatewayClass, '--image', 'llm-gateway:test', '--port', `${port}`]
  if (!leaderElect) args.push('--leader-elect=false')
  return startProgram({
    command: process.execPath,
    args: [MAIN, ...args],
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      NODE_COMPILE_CACHE: cache,
      POD_NAMESPACE: namespace,
      WEB_READ_ROLE: READ_ROLE,
    },
  })
}
