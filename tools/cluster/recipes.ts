/** The instructions for building one program from Go modules. */
export type Recipe = {
  readonly name: 'kubelite' | 'etcd' | 'coredns' | 'pause' | 'helm' | 'helm3' | 'kube-score'
  /** The content of `go.mod`. */
  readonly module: string
  /** `-ldflags`. */
  readonly linker: string
  /** The program's package in its module; absent: `main.go` in the folder of its name beside this file. */
  readonly package?: string
}

export type Versions = Readonly<Record<'kubernetes' | 'etcd' | 'coredns' | 'helm' | 'helm3' | 'kube-score', string>>

/** The programs of a cluster; the others are for charts. */
export const CLUSTER_PROGRAMS = ['kubelite', 'etcd', 'coredns', 'pause'] as const
export const CHART_PROGRAMS = ['helm', 'helm3', 'kube-score'] as const

/**
 * Kubernetes' own go.mod replaces these modules by local paths, so a module that requires it must name their versions.
 */
const STAGING = [
  'api',
  'apiextensions-apiserver',
  'apimachinery',
  'apiserver',
  'cli-runtime',
  'client-go',
  'cloud-provider',
  'cluster-bootstrap',
  'code-generator',
  'component-base',
  'component-helpers',
  'controller-manager',
  'cri-api',
  'cri-client',
  'csi-translation-lib',
  'dynamic-resource-allocation',
  'endpointslice',
  'externaljwt',
  'kms',
  'kube-aggregator',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'metrics',
  'mount-utils',
  'pod-security-admission',
  'sample-apiserver',
  'sample-cli-plugin',
  'sample-controller',
]

const KUBE_SCORE = 'github.com/zegl/kube-score'

/** Returns the recipes of all programs, the longest build first. */
export function recipes(versions: Versions): readonly Recipe[] {
  const staging = versions.kubernetes.replace(/^1\./, '0.')
  const replaced = STAGING.map((name) => `replace k8s.io/${name} => k8s.io/${name} v${staging}`)
  return [
    {
      name: 'kubelite',
      module: goModule('kubelite', [`k8s.io/kubernetes v${versions.kubernetes}`], replaced),
      linker: `-s -w ${versionFlags(versions.kubernetes)}`,
    },
    { name: 'etcd', module: goModule('etcd', [`go.etcd.io/etcd/server/v3 v${versions.etcd}`]), linker: '-s -w' },
    {
      name: 'coredns',
      module: goModule('coredns', [`github.com/coredns/coredns v${versions.coredns}`]),
      linker: '-s -w',
    },
    { name: 'pause', module: goModule('pause', []), linker: '-s -w' },
    helm('helm', 'helm.sh/helm/v4', versions.helm),
    helm('helm3', 'helm.sh/helm/v3', versions.helm3),
    {
      name: 'kube-score',
      module: goModule('kube-score', [`${KUBE_SCORE} v${versions['kube-score']}`]),
      linker: '-s -w',
      package: `${KUBE_SCORE}/cmd/kube-score`,
    },
  ]
}

function helm(name: 'helm' | 'helm3', module: string, version: string): Recipe {
  return {
    name,
    module: goModule(name, [`${module} v${version}`]),
    linker: `-s -w -X ${module}/internal/version.version=v${version}`,
    package: `${module}/cmd/helm`,
  }
}

function goModule(name: string, required: readonly string[], rest: readonly string[] = []): string {
  const requires = required.map((module) => `require ${module}`)
  return [`module example.test/${name}`, '', 'go 1.25.0', '', ...requires, ...rest, ''].join('\n')
}

/** Returns linker flags with the version; without them the server reports v0.0.0, and charts refuse it. */
function versionFlags(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  const values = {
    gitVersion: `v${version}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '0',
    buildDate: '2026-01-01T00:00:00Z',
  }
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((path) => Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`))
    .join(' ')
}
