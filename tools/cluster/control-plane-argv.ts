import type { Certificates, KeyPair } from './certificates.ts'

/** The inputs of the control plane's command lines. */
export type ControlPlanePlan = {
  /** The folder of the built programs. */
  readonly bin: string
  /** The parent of etcd's data. */
  readonly folder: string
  /** The API server's listening address, and the address that it advertises. */
  readonly listen: string
  readonly advertise: string
  readonly ports: { readonly api: number; readonly etcd: number; readonly peer: number }
  readonly certificates: Certificates
  /** The API server's client certificate for kubelets: logs, exec and port-forward. */
  readonly kubeletClient: KeyPair
  /** The path of a file of static tokens. */
  readonly tokens: string
  /** True: controllers run and make service accounts, which pods need. */
  readonly controllers: boolean
  readonly audit: { readonly policy: string; readonly log: string } | undefined
  /** Further flags of the API server. */
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
    // The data lives only as long as the test.
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
    // The API server refuses a loopback address as an endpoint.
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
    // Otherwise the API server looks the node's name up in DNS.
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
    // Runs as administrator: a service account per controller takes three seconds at the start.
    '--leader-elect=false',
    // No program reads its health, and two servers on one machine would need the same port.
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
