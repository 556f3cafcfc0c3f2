import type { V1Container, V1DeploymentStrategy, V1Volume } from '@kubernetes/client-node'
import { GROUP, type LlmGateway } from '@llm-gateway/crds'
import { ownedMetadata } from '../../../model/kube-object.ts'
import type { Deployment, JsonOf, Manifest, OwnedMetadata } from '../../../model/manifest.ts'
import { ADMIN_PORT, sinkName, tokenReference } from '../../../model/names.ts'
import {
  CONTAINER_SECURITY,
  envVariable,
  GROUP_READABLE,
  POD_SECURITY,
  podPlacement,
  podResources,
  restartAnnotation,
} from '../pod-template.ts'
import { mountedAuthorities } from '../tls.ts'
import { DOLLAR_VARIABLE } from './file-text.ts'
import { SINK_STORE, sinkConfig } from './sink-config.ts'
import type { Sink } from './sink-kinds.ts'

export type SinkInputs = {
  readonly gateway: LlmGateway
  readonly image: string
  /** Versions of the Secrets and ConfigMaps in its env, and of its authorities. */
  readonly versions: readonly string[]
}

const SINK_LABEL = `${GROUP}/sink`
const CONFIG_DIR = '/etc/llm-gateway-sink'

/** Makes the objects of a sink: its settings file, which only refers to secrets, and its Deployment. */
export function sinkObjects(sink: Sink, parts: SinkInputs): readonly Manifest[] {
  const { metadata } = parts.gateway
  const owned = ownedMetadata(metadata, sinkName(metadata, sink.kind), 'sink')
  const config = sinkConfig(sink, parts.gateway)
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { [fileOf(sink)]: config } },
    deployment(sink, { ...parts, owned, config }),
  ]
}

/**
 * Names a sink's settings file. The program takes its name from the file, and programs of one name share records, so
 * each kind has a name of its own.
 */
function fileOf({ kind }: Sink): string {
  return `nats2${kind}_config.json`
}

type DeploymentInputs = SinkInputs & { readonly owned: OwnedMetadata; readonly config: string }

function deployment(sink: Sink, parts: DeploymentInputs): Deployment {
  const { gateway, versions, owned, config } = parts
  const selector = { [SINK_LABEL]: owned.name }
  const authorities = mountedAuthorities(gateway)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: owned,
    spec: {
      replicas: 1,
      strategy: strategy(sink),
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...owned.labels, ...selector }, annotations: restartAnnotation({ config, versions }) },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          // The sink takes at most 20 s to write the records that it holds.
          terminationGracePeriodSeconds: 30,
          securityContext: POD_SECURITY,
          ...podPlacement(gateway.spec),
          containers: [container(sink, parts)],
          volumes: [
            { name: 'config', configMap: { name: owned.name, defaultMode: GROUP_READABLE } },
            ...(sink.kind === 'file' ? [store(sink.storage)] : []),
            ...authorities.volumes,
          ],
        },
      },
    },
  }
}

/**
 * The new pod comes first, so that records always have a reader. With a claim the old pod goes first: a claim may
 * belong to one node, and a file to one writer.
 */
function strategy(sink: Sink): JsonOf<V1DeploymentStrategy> {
  const isClaimed = sink.kind === 'file' && sink.storage.persistentVolumeClaim !== undefined
  return isClaimed ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
}

function container(sink: Sink, { gateway, image, config }: DeploymentInputs): JsonOf<V1Container> {
  const { name, key } = tokenReference(gateway)
  const probe = (path: string) => ({ httpGet: { path, port: 'admin' } })
  return {
    name: 'sink',
    image,
    command: ['node', '/app/processors/nats2log/src/main.ts', '-o', `${CONFIG_DIR}/${fileOf(sink)}`],
    env: [
      { name: 'NATS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
      ...(config.includes(`\${${DOLLAR_VARIABLE}}`) ? [envVariable({ name: DOLLAR_VARIABLE, value: '$' })] : []),
      ...(sink.env ?? []).map(envVariable),
    ],
    ports: [{ name: 'admin', containerPort: ADMIN_PORT }],
    // Ready means that records come. A target that is away is no reason for a restart.
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 2 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('sink', sink.resources),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      ...(sink.kind === 'file' ? [{ name: 'store', mountPath: SINK_STORE }] : []),
      ...mountedAuthorities(gateway).volumeMounts,
    ],
  }
}

type Storage = Extract<Sink, { kind: 'file' }>['storage']

function store({ emptyDir, persistentVolumeClaim }: Storage): JsonOf<V1Volume> {
  if (persistentVolumeClaim === undefined) return { name: 'store', emptyDir: { sizeLimit: emptyDir } }
  return { name: 'store', persistentVolumeClaim: { claimName: persistentVolumeClaim } }
}
