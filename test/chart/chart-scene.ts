import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeKubeconfig } from '../../tools/cluster/kubeconfig.ts'
import { type HelmVersion, runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import { type ApiServer, startApiServer, whyNoApiServer } from '../fake/api-server.ts'
import { createAuthority } from '../fake/certificates.ts'
import { type Program, startProgram } from '../fake/program.ts'
import { type Admin, createAdmin } from '../operator/admin.ts'
import { startApiProxy } from '../operator/api-proxy.ts'
import { startGatewayPods } from '../operator/gateway-pods.ts'

const ROOT = join(import.meta.dirname, '../..')
export const CHART = join(ROOT, 'charts/llm-gateway')
const MAIN = join(ROOT, 'operator/src/main.ts')
/** In the image; here its sources stand for it. */
const BUNDLE = '/app/operator/operator.mjs'

/** A real API server with its controllers, and helm. Pods become ready by a stand-in for the kubelet. */
export type ChartScene = {
  readonly server: ApiServer
  readonly admin: Admin
  /** Rejects with what helm said; its stdout. */
  helm(args: readonly string[], input?: string): Promise<string>
  helmWith(program: HelmVersion, args: readonly string[]): Promise<string>
  /** Rejects with what kubectl said; its stdout. */
  kubectl(args: readonly string[], input?: object): Promise<string>
  /** The operator as its Deployment says it: account, arguments and environment. */
  startOperator(namespace: string, deployment: string): Promise<Program>
  close(): Promise<void>
}

/** Why the chart can't be tried here; false: it can. */
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
    server,
    admin,
    helm,
    helmWith,
    kubectl,
    startOperator: async (namespace, deployment) => {
      const spec = podSpecOf(
        JSON.parse(await kubectl(['-n', namespace, 'get', 'deployment', deployment, '-o', 'json'])),
      )
      const token = await server.createServiceAccountToken(namespace, spec.serviceAccountName)
      const kubeconfig = writeKubeconfig(join(folder, `${namespace}-${deployment}.kubeconfig`), {
        url: proxy.url,
        authority: authority.certificateFile,
        credentials: { token },
      })
      const at = spec.command.indexOf(BUNDLE)
      if (at < 0) throw new Error(`the operator isn't started by ${BUNDLE}`)
      const program = await startProgram({
        command: process.execPath,
        args: [MAIN, ...spec.command.slice(at + 1), '--kubeconfig', kubeconfig, '--port', '0'],
        environment: { PATH: '/usr/local/bin:/usr/bin:/bin', POD_NAMESPACE: namespace, ...spec.environment },
      })
      programs.add(program)
      return program
    },
    close: async () => {
      for (const program of programs) program.kill('SIGKILL')
      await Promise.all([...programs].map(({ exited }) => exited))
      await proxy.close()
      await pods.close()
      admin.close()
      await Promise.all([server.close(), authority.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type OperatorPod = {
  readonly serviceAccountName: string
  readonly command: readonly string[]
  /** What has a value of its own; what the kubelet fills in isn't there. */
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
