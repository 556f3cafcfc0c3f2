import type { V1Container, V1SecretKeySelector } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import { ownedMetadata, WEB_POD_LABEL } from '../../../model/kube-object.ts'
import type { Deployment, JsonOf, Manifest, OwnedMetadata, RoleBinding } from '../../../model/manifest.ts'
import { namesOf, tokenReference, WEB_PORT } from '../../../model/names.ts'
import type { RoleName } from '../../../model/role-name.ts'
import {
  CONTAINER_SECURITY,
  GROUP_READABLE,
  POD_SECURITY,
  podPlacement,
  podResources,
  restartAnnotation,
} from '../pod-template.ts'
import { mountedSecret, type PodMounts } from '../tls.ts'
import { WEB_TLS_DIR, webConfig, webSettings } from './web-config.ts'
import { type WebInterface, webSecretReference } from './web-keys.ts'

export type WebInputs = {
  readonly web: WebInterface
  readonly image: string
  /** The version of the Secret with which people log in. */
  readonly version: string
  /** Other namespaces whose Routers attach, sorted. */
  readonly namespaces: readonly string[]
  /** The role that lets its account read; undefined: people bind a role of their own. */
  readonly readRole: RoleName | undefined
}

type WebDeploymentInputs = WebInputs & {
  readonly gateway: LlmGateway
  readonly owned: OwnedMetadata
}

const CONFIG_DIR = '/etc/llm-gateway'
const CONFIG_FILE = 'gui_config.json'
const RBAC = 'rbac.authorization.k8s.io'
/** Seconds for unfinished answers and for leaving the bus. */
const GRACE_SECONDS = 15

/** Makes the objects that run a gateway's web interface, in the order in which they are applied. */
export function webObjects(gateway: LlmGateway, given: WebInputs): readonly Manifest[] {
  const { metadata } = gateway
  const owned = ownedMetadata(metadata, namesOf(metadata).web, 'web')
  const { web, namespaces, readRole } = given
  const port = portName(web)
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: owned, automountServiceAccountToken: false },
    ...(readRole === undefined ? [] : [readBinding(owned, readRole)]),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: owned,
      data: { [CONFIG_FILE]: webConfig({ gateway, web, readRole, namespaces }) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: owned,
      spec: {
        selector: { [WEB_POD_LABEL]: metadata.name },
        ports: [{ name: port, port: WEB_PORT, targetPort: port, protocol: 'TCP' }],
      },
    },
    deployment({ ...given, gateway, owned }),
  ]
}

/** Lets the account read in the gateway's namespace. People bind further rights and other namespaces. */
function readBinding(metadata: OwnedMetadata, { kind, name }: RoleName): RoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: metadata.name, namespace: metadata.namespace }],
  }
}

function deployment(parts: WebDeploymentInputs): Deployment {
  const { gateway, web, owned, version, readRole } = parts
  const selector = { [WEB_POD_LABEL]: gateway.metadata.name }
  const certificate = mountedCertificate(web)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: owned,
    spec: {
      // Sessions are in a pod's memory, so a second pod wouldn't know the logins of the first.
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: { ...owned.labels, ...selector },
          annotations: restartAnnotation({ settings: webSettings({ gateway, web, readRole }), version }),
        },
        spec: {
          serviceAccountName: owned.name,
          // Only this pod has a token: it asks the API server for the resources that it shows.
          automountServiceAccountToken: true,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: POD_SECURITY,
          ...podPlacement(gateway.spec),
          containers: [container(parts)],
          volumes: [
            { name: 'config', configMap: { name: owned.name, defaultMode: GROUP_READABLE } },
            ...certificate.volumes,
          ],
        },
      },
    },
  }
}

function container({ gateway, web, image }: WebDeploymentInputs): JsonOf<V1Container> {
  const port = portName(web)
  const probe = (path: string) => ({ httpGet: { path, port, scheme: port.toUpperCase() } })
  const secret = (name: string, secretKeyRef: JsonOf<V1SecretKeySelector>) => ({ name, valueFrom: { secretKeyRef } })
  return {
    name: 'web',
    image,
    command: ['node', '/app/gateway/gui/server/src/main.ts', '-o', `${CONFIG_DIR}/${CONFIG_FILE}`],
    env: [secret('GUI_SECRET', webSecretReference(gateway, web)), secret('NATS_TOKEN', tokenReference(gateway))],
    ports: [{ name: port, containerPort: WEB_PORT }],
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 2 },
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('web', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [{ name: 'config', mountPath: CONFIG_DIR, readOnly: true }, ...mountedCertificate(web).volumeMounts],
  }
}

function portName({ tls }: WebInterface): 'http' | 'https' {
  return tls === undefined ? 'http' : 'https'
}

function mountedCertificate({ tls }: WebInterface): PodMounts {
  return mountedSecret(tls?.secretRef.name, WEB_TLS_DIR)
}
