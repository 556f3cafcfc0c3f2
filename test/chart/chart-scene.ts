import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../../tools/cluster/execute.ts'
import { writeKubeconfig } from '../../tools/cluster/kubeconfig.ts'
import { type HelmVersion, runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import { type ApiServer, startApiServer, whyNoApiServer } from '../fake/api-server.ts'
import { createAuthority } from '../fake/certificates.ts'
import { type Program, startProgram } from '../fake/program.ts'
import { type Admin, createAdmin } from '../operator/admin.ts'
import { startApiProxy } from '../operator/api-proxy.ts'
import { startGatewayPods } from '../operator/gateway-pods.ts'
import { type JobPod, type Outcome, startJobPods } from './job-pods.ts'

export const ROOT = join(import.meta.dirname, '../..')
export const CHART = join(ROOT, 'charts/llm-gateway')
const MAIN = join(ROOT, 'operator/src/main.ts')
/** The operator's bundle in the image; the sources are run in its place. */
const BUNDLE = '/app/operator/operator.mjs'

/**
 * A real API server with its controllers, and helm. A stand-in for the kubelet makes pods ready and runs the commands
 * of Jobs here, with the rights of their service accounts.
 */
export type ChartScene = {
  /** The Jobs and their output. */
  readonly jobs: readonly (JobPod & Outcome)[]
  readonly server: ApiServer
  readonly admin: Admin
  /** Runs helm and returns its stdout. Rejects with helm's error output. */
  helm(args: readonly string[], input?: string): Promise<string>
  helmWith(program: HelmVersion, args: readonly string[]): Promise<string>
  /** Runs kubectl and returns its stdout. Rejects with kubectl's error output. */
  kubectl(args: readonly string[], input?: object): Promise<string>
  /** Starts the operator with the account, arguments and environment of its Deployment. */
  startOperator(namespace: string, deployment: string): Promise<Program>
  close(): Promise<void>
}

const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Returns the reason why the chart can't be tried here; false if it can. */
export function whyNoChartScene(environment: NodeJS.ProcessEnv): string | false {
  const reason = whyNoApiServer(environment)
  if (reason !== false || environment.CI === 'true') return reason
  return whyNoHelm(ROOT) ?? false
}

export async function startChartScene(): Promise<ChartScene> {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-chart-'))
  const [server, authority] = await Promise.all([startApiServer({ controllers: true, audit: true }), createAuthority()])
  const admin = createAdmin(server)
  const pods = startGatewayPods(admin)
  const proxy = await startApiProxy({ server, certificate: await authority.issue('api-proxy') })
  proxy.add(pods.answer)
  const programs = new Set<Program>()
  const jobs: (JobPod & Outcome)[] = []
  const kubeconfigOf = async (namespace: string, account: string): Promise<string> =>
    writeKubeconfig(join(folder, `${namespace}-${account}.kubeconfig`), {
      url: proxy.url,
      authority: authority.certificateFile,
      credentials: { token: await server.createServiceAccountToken(namespace, account) },
    })
  const jobPods = startJobPods(admin, async (pod) => {
    const kubeconfig = await kubeconfigOf(pod.namespace, pod.serviceAccountName)
    const argv = [process.execPath, MAIN, ...argumentsOf(pod.command), '--kubeconfig', kubeconfig]
    const { code, stdout, stderr } = await execute(argv, { environment: ENVIRONMENT })
    const outcome = { code, output: `${stdout}${stderr}` }
    jobs.push({ ...pod, ...outcome })
    return outcome
  })

  const helmWith: ChartScene['helmWith'] = (program, args) => helm(args, undefined, program)
  const helm = async (args: readonly string[], input?: string, program: HelmVersion = 'helm'): Promise<string> => {
    const more = input === undefined ? {} : { input }
    const options = { program, kubeconfig: server.kubeconfig, ...more }
    const { code, stdout, stderr } = await runHelm(ROOT, args, options)
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args, input === undefined ? undefined : JSON.stringify(input))
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  return {
    jobs,
    server,
    admin,
    helm,
    helmWith,
    kubectl,
    startOperator: async (namespace, deployment) => {
      const spec = podSpecOf(
        JSON.parse(await kubectl(['-n', namespace, 'get', 'deployment', deployment, '-o', 'json'])),
      )
      const kubeconfig = await kubeconfigOf(namespace, spec.serviceAccountName)
      const program = await startProgram({
        command: process.execPath,
        args: [MAIN, ...argumentsOf(spec.command), '--kubeconfig', kubeconfig, '--port', '0'],
        environment: {
          ...ENVIRONMENT,
          NODE_COMPILE_CACHE: join(folder, 'compiled'),
          POD_NAMESPACE: namespace,
          ...spec.environment,
        },
      })
      programs.add(program)
      return program
    },
    close: async () => {
      for (const program of programs) program.kill('SIGKILL')
      await Promise.all([...programs].map(({ exited }) => exited))
      await jobPods.close()
      await proxy.close()
      await pods.close()
      admin.close()
      await Promise.all([server.close(), authority.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the arguments behind the program in a container's command. */
function argumentsOf(command: readonly string[]): readonly string[] {
  const at = command.indexOf(BUNDLE)
  if (at < 0) throw new Error(`${command.join(' ')} doesn't start ${BUNDLE}`)
  return command.slice(at + 1)
}

type OperatorPod = {
  readonly serviceAccountName: string
  readonly command: readonly string[]
  /** Variables with a literal value; those that the kubelet fills in are left out. */
  readonly environment: Readonly<Record<string, string>>
}

function podSpecOf(deployment: ReturnType<typeof JSON.parse>): OperatorPod {
  const { serviceAccountName, containers } = deployment.spec.template.spec
  const [{ command, env }] = containers
  const given: readonly { readonly name: string; readonly value?: string }[] = env
  const environment = Object.fromEntries(
    given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  )
  return { serviceAccountName, command, environment }
}
