import { parseArgs } from 'node:util'

export type OperatorCommand =
  | {
      readonly kind: 'run'
      /** undefined: in the cluster that the process runs in. */
      readonly kubeconfig: string | undefined
      readonly image: string
      readonly gatewayClass: string
      readonly port: number
      /** False: no other operator runs, and none is looked for. */
      readonly leaderElect: boolean
      /** The only namespaces that are looked at; empty: all. */
      readonly watchNamespaces: readonly string[]
    }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage'; readonly message: string }

const USAGE = {
  kind: 'usage',
  message:
    'usage: [--kubeconfig FILE] [--image NAME:TAG] [--class NAME] [--port N] [--leader-elect=false] [--watch-namespaces A,B] | --version',
} as const
const OPTIONS = {
  kubeconfig: { type: 'string' },
  image: { type: 'string' },
  class: { type: 'string' },
  port: { type: 'string' },
  'leader-elect': { type: 'string' },
  'watch-namespaces': { type: 'string' },
  version: { type: 'boolean' },
} as const
const DEFAULT_PORT = '8080'

/** Parses the operator's command line; `version` names the default image, `namespaces` (WATCH_NAMESPACES) what to look at. */
export function parseOperatorCommand(argv: readonly string[], version: string, namespaces = ''): OperatorCommand {
  const values = parse(argv)
  if (values === undefined) return USAGE
  if (values.version === true) return { kind: 'version' }
  const port = values.port ?? DEFAULT_PORT
  const leaderElect = values['leader-elect'] ?? 'true'
  if (!/^\d{1,5}$/.test(port) || !/^(true|false)$/.test(leaderElect)) return USAGE
  return {
    kind: 'run',
    kubeconfig: values.kubeconfig,
    image: values.image ?? `llm-gateway:${version}`,
    gatewayClass: values.class ?? 'default',
    port: Number(port),
    leaderElect: leaderElect === 'true',
    watchNamespaces: (values['watch-namespaces'] ?? namespaces)
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
