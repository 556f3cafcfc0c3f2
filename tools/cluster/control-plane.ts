import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiAccess } from './api-request.ts'
import { isApiReady } from './api-request.ts'
import { type Certificates, createCertificates } from './certificates.ts'
import { apiServerArgv, type ControlPlanePlan, controllersArgv, etcdArgv, schedulerArgv } from './control-plane-argv.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { createService, type Service } from './service.ts'

export type ControlPlaneOptions = Pick<
  ControlPlanePlan,
  'bin' | 'folder' | 'listen' | 'advertise' | 'ports' | 'controllers' | 'flags'
> & {
  readonly audit: boolean
  readonly environment: NodeJS.ProcessEnv
}

/** The services of a control plane before their start, and the administrator's access. */
export type ControlPlane = {
  readonly access: ApiAccess
  readonly certificates: Certificates
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The path of the audit log, one JSON line per call, metadata only. */
  readonly auditLog: string | undefined
  readonly etcd: Service
  readonly apiServer: Service
  readonly controllers: Service
  readonly scheduler: Service
}

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

/** Makes the certificates, the token and the files of the services in `folder`. */
export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, environment } = options
  const logs = join(folder, 'log')
  mkdirSync(logs, { recursive: true })
  const addresses = new Set(['127.0.0.1', '10.96.0.1', options.advertise])
  const certificates = await createCertificates(join(folder, 'pki'), [...addresses])
  const token = randomBytes(24).toString('base64url')
  const plan: ControlPlanePlan = {
    ...options,
    certificates,
    kubeletClient: await certificates.issueClient('kubelet-client', ['system:masters']),
    tokens: writeText(folder, 'tokens.csv', `${token},admin,1,"system:masters"\n`),
    audit: options.audit
      ? { policy: writeText(folder, 'audit-policy.yaml', AUDIT_POLICY), log: join(logs, 'audit.log') }
      : undefined,
  }
  const url = `https://127.0.0.1:${plan.ports.api}`
  const access = { url, token, authority: readFileSync(certificates.authority.certificate, 'utf8') }
  const kubeconfig = writeKubeconfig(join(folder, 'kubeconfig'), {
    url,
    authority: certificates.authority.certificate,
    credentials: { token },
  })
  const service = (name: string, argv: readonly string[], ready: () => Promise<boolean>): Service =>
    createService({ name, argv, log: join(logs, `${name}.log`), environment, ready })
  return {
    access,
    certificates,
    kubeconfig,
    auditLog: plan.audit?.log,
    etcd: service('etcd', etcdArgv(plan), () => isEtcdReady(plan.ports.etcd)),
    apiServer: service('apiserver', apiServerArgv(plan), () => isApiReady(access)),
    controllers: service('controllers', controllersArgv(plan, kubeconfig), isRunning),
    scheduler: service('scheduler', schedulerArgv(plan, kubeconfig), isRunning),
  }
}

/** Always true: these services have no port. Callers wait for the results of their work. */
async function isRunning(): Promise<boolean> {
  return true
}

async function isEtcdReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(1_000) })).ok
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

function writeText(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}
