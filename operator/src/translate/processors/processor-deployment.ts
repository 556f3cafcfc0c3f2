import type { V1Container, V1EnvVar, V1Probe, V1ResourceRequirements } from '@kubernetes/client-node'
import type { LlmGateway, Processor } from '@llm-gateway/crds'
import { PROCESSOR_LABEL } from '../../model/kube-object.ts'
import type { Deployment, JsonOf, OwnedMetadata } from '../../model/manifest.ts'
import { PROCESSOR_PORT, tokenReference } from '../../model/names.ts'
import { busAddress } from '../gateway/gateway-settings.ts'
import {
  CONTAINER_SECURITY,
  envVariable,
  GROUP_READABLE,
  POD_SECURITY,
  podPlacement,
  resourcesOf,
  restartAnnotation,
  spreadOverNodes,
} from '../objects/pod-template.ts'
import { DOLLAR_VARIABLE } from '../objects/sinks/file-text.ts'
import { processorSubject, SETTINGS_KEY, SHIPPED } from './processor-names.ts'

export type ProcessorInputs = {
  readonly gateway: LlmGateway
  /** The gateway's image, which holds the shipped processors. */
  readonly image: string
  readonly settings: object
  /** Versions of the references in its environment. */
  readonly versions: readonly string[]
}

export type DeploymentInputs = ProcessorInputs & {
  readonly metadata: OwnedMetadata
  /** The text of its settings file. */
  readonly text: string
}

const SETTINGS_DIR = '/etc/llm-gateway'
/** The SDK gives messages in work 20 s; the rest is for closing the bus and the processor. */
const GRACE_SECONDS = 30
/** A Custom program may want to write files. */
const SCRATCH = { name: 'scratch', mountPath: '/tmp' }
const SCRATCH_SIZE = '256Mi'

/** Makes the Deployment of a Processor. A ready pod is subscribed on the bus. */
export function processorDeployment(processor: Processor, parts: DeploymentInputs): Deployment {
  const { spec } = processor
  const { gateway, metadata, text, versions } = parts
  const selector = { [PROCESSOR_LABEL]: processor.metadata.name }
  const scratch = spec.type === 'Custom' ? [{ name: SCRATCH.name, emptyDir: { sizeLimit: SCRATCH_SIZE } }] : []
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: spec.replicas,
      // The new pod comes first, so that the subject always has a subscriber.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: metadata.labels, annotations: restartAnnotation({ text, versions }) },
        spec: {
          serviceAccountName: metadata.name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: POD_SECURITY,
          ...podPlacement(gateway.spec),
          topologySpreadConstraints: spreadOverNodes(selector),
          containers: [container(processor, parts)],
          volumes: [{ name: 'settings', configMap: { name: metadata.name, defaultMode: GROUP_READABLE } }, ...scratch],
        },
      },
    },
  }
}

function container(processor: Processor, parts: DeploymentInputs): JsonOf<V1Container> {
  const { spec } = processor
  const settings = { name: 'settings', mountPath: SETTINGS_DIR, readOnly: true }
  return {
    name: 'processor',
    ...program(processor, parts.image),
    env: environment(processor, parts),
    ports: [{ name: 'processor', containerPort: PROCESSOR_PORT }],
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 2 },
    ...(spec.type === 'Custom' ? {} : LIVENESS),
    resources: resources(processor),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: spec.type === 'Custom' ? [settings, SCRATCH] : [settings],
  }
}

function probe(path: string): JsonOf<V1Probe> {
  return { httpGet: { path, port: 'processor' } }
}

/** Probes of the shipped processors alone: a Custom processor need not answer on /healthz. */
const LIVENESS = {
  startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
  livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
}

function program({ spec }: Processor, image: string): Pick<JsonOf<V1Container>, 'image' | 'command'> {
  if (spec.type === 'Custom') return { image: spec.custom?.image ?? '' }
  return { image, command: ['node', `/app/processors/${SHIPPED[spec.type].folder}/src/main.ts`] }
}

function resources({ spec }: Processor): JsonOf<V1ResourceRequirements> | undefined {
  if (spec.resources !== undefined) return resourcesOf(spec.resources)
  if (spec.type === 'Custom') return undefined
  return { requests: { memory: SHIPPED[spec.type].memory } }
}

/**
 * Returns the variables that every processor gets (docs/reference/bus.md#connection), after the variables of its
 * resource, which stay references.
 */
function environment(processor: Processor, { gateway, text }: DeploymentInputs): readonly JsonOf<V1EnvVar>[] {
  const { name, key } = tokenReference(gateway)
  return [
    ...(processor.spec.env ?? []).map(envVariable),
    { name: 'GATEWAY_HOST', value: busAddress(gateway) },
    { name: 'NATS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
    { name: 'BUS_PREFIX', value: gateway.spec.bus.prefix },
    { name: 'PROCESSOR_SUBJECT', value: processorSubject(processor, gateway) },
    { name: 'PROCESSOR_CONFIG', value: `${SETTINGS_DIR}/${SETTINGS_KEY}` },
    { name: 'PROCESSOR_PORT', value: String(PROCESSOR_PORT) },
    // The settings file of a shipped processor writes the text `$NAME` with this variable (`fileText`).
    ...(processor.spec.type !== 'Custom' && text.includes(DOLLAR_VARIABLE)
      ? [{ name: DOLLAR_VARIABLE, value: '$' }]
      : []),
  ]
}
