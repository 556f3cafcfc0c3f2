import { parseArgs } from 'node:util'
import type { CrdsApplyCommand } from './commands/run-crds-apply.ts'
import type { ImportCommand } from './commands/run-import.ts'
import type { RenderCommand } from './commands/run-render.ts'
import { type RoleName, roleNameOf } from './model/role-name.ts'

export type OperatorCommand =
  | {
      readonly kind: 'run'
      /** undefined: the cluster in which the process runs. */
      readonly kubeconfig: string | undefined
      readonly image: string
      readonly gatewayClass: string
      readonly port: number
      /** False: no other operator runs, so no lease is taken. */
      readonly leaderElect: boolean
      /** The only namespaces to watch; empty: all. */
      readonly watchNamespaces: readonly string[]
      /** undefined: the name is made from the class. */
      readonly leaseName: string | undefined
      /** Labels of the operator's own pods, which the gateways' NetworkPolicies let in. Empty: the shipped labels. */
      readonly podLabels: Readonly<Record<string, string>>
      /** The role that the operator binds to accounts of web interfaces; undefined: none. */
      readonly webReadRole: RoleName | undefined
    }
  | ({ readonly kind: 'render' } & RenderCommand)
  | ({ readonly kind: 'import' } & ImportCommand)
  | ({ readonly kind: 'crds apply' } & CrdsApplyCommand)
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly message: string }
  /** The arguments are invalid; `message` says which one and why. */
  | { readonly kind: 'usage'; readonly message: string }

const HELP = `usage:
  operator [OPTIONS]                runs the operator, in a cluster or outside
    --kubeconfig FILE               kubeconfig of the cluster, for an operator outside
    --image NAME:TAG                image of LLMGateways that name none
    --class NAME                    class of the LLMGateways to look after; default: default
    --port N                        port of health and metrics; default: 8080
    --leader-elect=false            takes no Lease: no other operator may run
    --watch-namespaces A,B          watches these namespaces only; variable WATCH_NAMESPACES
    --lease-name NAME               Lease by which replicas elect a leader; variable LEASE_NAME
    --pod-labels A=B,C=D            labels of the operator's pods, which NetworkPolicies admit; variable POD_LABELS
    --web-read-role KIND/NAME       ClusterRole or Role by which web interfaces read; variable WEB_READ_ROLE
  operator render DIR [OPTIONS]     renders the resources of a folder as gl_config.json and statuses, without a cluster
    --output DIR                    folder for the files; without it only a summary is printed
    --values                        writes the values of Secrets, too
    --image NAME:TAG                image of LLMGateways that name none
  operator import FILE [OPTIONS]    turns a gl_config.json into resources, printed as YAML
    --name NAME                     name of the LLMGateway; default: main
    --namespace NAMESPACE           namespace of all resources; default: llm
  operator crds apply [OPTIONS]     updates the CRDs of the cluster; keeps newer ones and those of other owners
    --kubeconfig FILE               kubeconfig of the cluster, for a command outside
  operator --version                prints the version
  operator --help                   prints this help`
const ASKS_FOR_HELP: ReadonlySet<string> = new Set(['--help', '-h'])

const DEFAULT_PORT = '8080'
const MAX_PORT = 65_535
/** The form in which an LLMGateway can name a class. */
const CLASS = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const LEASE = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/
/** A label of Kubernetes: prefix/name=value. */
const LABEL =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?=([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/

/** Variables that may stand in for options. */
export type CommandEnvironment = {
  readonly WATCH_NAMESPACES?: string
  readonly LEASE_NAME?: string
  readonly POD_LABELS?: string
  readonly WEB_READ_ROLE?: string
}

/** Parses the operator's command line; `version` names the default image. */
export function parseOperatorCommand(
  argv: readonly string[],
  version: string,
  environment: CommandEnvironment = {},
): OperatorCommand {
  const [first, ...rest] = argv
  if (first === 'help' || argv.some((argument) => ASKS_FOR_HELP.has(argument))) return { kind: 'help', message: HELP }
  try {
    if (first === 'render') return renderCommand(rest, version)
    if (first === 'import') return importCommand(rest)
    if (first === 'crds') return crdsCommand(rest)
    return runCommand(argv, version, environment)
  } catch (error) {
    if (error instanceof TypeError) return usage(error.message)
    throw error
  }
}

function runCommand(argv: readonly string[], version: string, environment: CommandEnvironment): OperatorCommand {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      kubeconfig: { type: 'string' },
      image: { type: 'string' },
      class: { type: 'string' },
      port: { type: 'string' },
      'leader-elect': { type: 'string' },
      'watch-namespaces': { type: 'string' },
      'lease-name': { type: 'string' },
      'pod-labels': { type: 'string' },
      'web-read-role': { type: 'string' },
      version: { type: 'boolean' },
    },
  })
  if (values.version === true) return { kind: 'version' }
  const port = values.port ?? DEFAULT_PORT
  const leaderElect = values['leader-elect'] ?? 'true'
  const gatewayClass = values.class ?? 'default'
  const { WATCH_NAMESPACES = '', LEASE_NAME = '', POD_LABELS = '', WEB_READ_ROLE = '' } = environment
  const leaseName = values['lease-name'] ?? LEASE_NAME
  const podLabels = labelsIn(values['pod-labels'] ?? POD_LABELS)
  const role = values['web-read-role'] ?? WEB_READ_ROLE
  const webReadRole = roleNameOf(role)
  if (!CLASS.test(gatewayClass))
    return usage(`--class: ${gatewayClass} is not a name of lower-case letters, digits and -`)
  if (role !== '' && webReadRole === undefined)
    return usage(`--web-read-role or WEB_READ_ROLE: ${role} is neither ClusterRole/NAME nor Role/NAME`)
  if (podLabels === undefined)
    return usage('--pod-labels or POD_LABELS: the value is no list of labels such as a=b,c=d')
  if (leaseName !== '' && !LEASE.test(leaseName))
    return usage(`--lease-name or LEASE_NAME: ${leaseName} is not a name of lower-case letters, digits, - and .`)
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT) return usage(`--port: ${port} is no port`)
  if (!/^(true|false)$/.test(leaderElect)) return usage(`--leader-elect: ${leaderElect} is neither true nor false`)
  return {
    kind: 'run',
    kubeconfig: values.kubeconfig,
    image: values.image ?? imageOf(version),
    gatewayClass,
    port: Number(port),
    leaderElect: leaderElect === 'true',
    watchNamespaces: (values['watch-namespaces'] ?? WATCH_NAMESPACES)
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    leaseName: leaseName === '' ? undefined : leaseName,
    podLabels,
    webReadRole,
  }
}

/** Parses `a=b,c=d`; undefined: the text isn't labels. */
function labelsIn(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').filter((pair) => pair !== '')
  if (!pairs.every((pair) => LABEL.test(pair))) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

function renderCommand(args: readonly string[], version: string): OperatorCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { output: { type: 'string' }, values: { type: 'boolean' }, image: { type: 'string' } },
  })
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) return usage('render needs one folder')
  if (values.values === true && values.output === undefined) return usage('--values needs --output')
  return {
    kind: 'render',
    folder,
    output: values.output,
    values: values.values === true,
    image: values.image ?? imageOf(version),
  }
}

function importCommand(args: readonly string[]): OperatorCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { name: { type: 'string' }, namespace: { type: 'string' } },
  })
  const [file, ...more] = positionals
  const { name = 'main', namespace = 'llm' } = values
  const isLabel = (text: string, most: number) => text.length <= most && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)
  if (file === undefined || more.length > 0) return usage('import needs one file')
  if (!isLabel(name, 40)) return usage(`--name: ${name} ${noLabel(40)}`)
  if (!isLabel(namespace, 63)) return usage(`--namespace: ${namespace} ${noLabel(63)}`)
  return { kind: 'import', file, name, namespace }
}

function crdsCommand(args: readonly string[]): OperatorCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { kubeconfig: { type: 'string' } },
  })
  if (positionals.length !== 1 || positionals[0] !== 'apply') return usage('crds needs the word apply')
  return { kind: 'crds apply', kubeconfig: values.kubeconfig }
}

function noLabel(most: number): string {
  return `is not a letter with at most ${most - 1} lower-case letters, digits and - after it`
}

function usage(fault: string): OperatorCommand {
  return { kind: 'usage', message: `operator: ${fault}\noperator --help lists the commands and options` }
}

function imageOf(version: string): string {
  return `llm-gateway:${version}`
}
