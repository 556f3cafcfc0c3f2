import { join } from 'node:path'
import { type Program, startProgram } from '../fake/program.ts'

export type OperatorProcessOptions = {
  readonly kubeconfig: string
  /** It looks after gateways of this class alone, so that many can share an API server. */
  readonly gatewayClass: string
  /** The namespace of its lease; undefined: where it is installed. */
  readonly namespace?: string | undefined
  /** False: it runs without a lease. */
  readonly leaderElect?: boolean | undefined
  /** Of health and metrics; absent: none. */
  readonly port?: number | undefined
  /** Where compiled code is kept: half of a start. */
  readonly cache: string
}

/** Of the files that the scene applies. */
const READ_ROLE = 'ClusterRole/llm-gateway-web-read.llm-gateway-system'
const MAIN = join(import.meta.dirname, '../../operator/src/main.ts')

/** The operator as it is started outside a cluster, a process of its own. */
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
