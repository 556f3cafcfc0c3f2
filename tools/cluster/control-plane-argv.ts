import type { Certificates, KeyPair } from './certificates.ts'

/** Everything that the control plane's command lines depend on. */
export type ControlPlanePlan = {
  /** Folder of the built programs. */
  readonly bin: string
  /** Where etcd keeps its data. */
  readonly folder: string
  /** Where the API server listens, and what it says of itself. */
  readonly listen: string
  readonly advertise: string
  readonly ports: { readonly api: number; readonly etcd: number; readonly peer: number }
  readonly certificates: Certificates
  /** As whom the API server asks kubelets for logs, exec and port-forward. */
  readonly kubeletClient: KeyPair
  /** A file of static tokens. */
  readonly tokens: string
  /** With its controllers a server makes what pods need; without them nobody makes service accounts. */
  readonly controllers: boolean
  readonly audit: { readonly policy: string; readonly log: string } | undefined
  /** Added to the API server's flags. */
  readonly flags: readonly string[]
}

const SERVICE_RANGE = '10.96.0.0/16'
export const POD_RANGE = '10.244.0.0/16'

export function etcdArgv({ bin, folder, ports }: ControlPlanePlan): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcd}`
  const peer = `http://127.0.0.1:${ports.peer}`
  return [
    `${bin}/etcd`,
    '--name=test',
    `--data-dir=${folder}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
    // Its data lives as long as the test.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

export function apiServerArgv(plan: ControlPlanePlan): readonly string[] {
  const { certificates, audit } = plan
  return [
    `${plan.bin}/kubelite`,
    'kube-apiserver',
    `--etcd-servers=http://127.0.0.1:${plan.ports.etcd}`,
    `--secure-port=${plan.ports.api}`,
    `--bind-address=${plan.listen}`,
    `--advertise-address=${plan.advertise}`,
    // It refuses to enter a loopback address as an endpoint.
    ...(plan.advertise.startsWith('127.') ? ['--endpoint-reconciler-type=none'] : []),
    ...(plan.controllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    `--tls-cert-file=${certificates.server.certificate}`,
    `--tls-private-key-file=${certificates.server.key}`,
    `--client-ca-file=${certificates.authority.certificate}`,
    `--kubelet-client-certificate=${plan.kubeletClient.certificate}`,
    `--kubelet-client-key=${plan.kubeletClient.key}`,
    // Or it looks the node's name up in DNS.
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${certificates.serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${certificates.serviceAccounts.key}`,
    `--token-auth-file=${plan.tokens}`,
    ...(audit === undefined ? [] : [`--audit-policy-file=${audit.policy}`, `--audit-log-path=${audit.log}`]),
    ...plan.flags,
  ]
}

export function controllersArgv(plan: ControlPlanePlan, kubeconfig: string): readonly string[] {
  return [
    `${plan.bin}/kubelite`,
    'kube-controller-manager',
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${plan.certificates.serviceAccounts.key}`,
    `--root-ca-file=${plan.certificates.authority.certificate}`,
    // As administrator: a service account for each of its controllers costs three seconds at the start.
    '--leader-elect=false',
    // Nobody asks it for its health, and two servers on one machine would want the same port.
    '--secure-port=0',
  ]
}

export function schedulerArgv(plan: ControlPlanePlan, kubeconfig: string): readonly string[] {
  return [
    `${plan.bin}/kubelite`,
    'kube-scheduler',
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
  ]
}
