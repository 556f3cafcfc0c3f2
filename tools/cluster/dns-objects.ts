import { DNS_ADDRESS, DNS_IMAGE } from './node-plan.ts'

const COREFILE = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa {
    ttl 5
  }
  cache 5
}
`
const LABELS = { 'k8s-app': 'kube-dns' }
const PLACE = { name: 'coredns', namespace: 'kube-system' }

/** Returns the objects of the cluster's DNS as one list for `kubectl apply`. */
export function dnsObjects() {
  return { apiVersion: 'v1', kind: 'List', items: [...permissions(), configuration(), deployment(), service()] }
}

function permissions() {
  const group = 'rbac.authorization.k8s.io'
  const verbs = ['list', 'watch']
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: PLACE },
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'coredns' },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs },
      ],
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'coredns' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'coredns' },
      subjects: [{ kind: 'ServiceAccount', ...PLACE }],
    },
  ]
}

function configuration() {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: PLACE, data: { Corefile: COREFILE } }
}

function deployment() {
  const container = {
    name: 'coredns',
    image: DNS_IMAGE,
    imagePullPolicy: 'Never',
    args: ['-conf', '/etc/coredns/Corefile'],
    readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
    volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns' }],
  }
  const spec = {
    serviceAccountName: 'coredns',
    dnsPolicy: 'Default',
    containers: [container],
    volumes: [{ name: 'configuration', configMap: { name: 'coredns' } }],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: PLACE,
    spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec } },
  }
}

function service() {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system' },
    spec: {
      clusterIP: DNS_ADDRESS,
      selector: LABELS,
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  }
}
