import { OBSERVER_NAMESPACE } from './kube-scene.ts'

const API = 'llmgateway.io/v1alpha1'
export const UPSTREAM = `http://observer.${OBSERVER_NAMESPACE}.svc:8099/llm/`

export function namespaceObject(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}

/** Returns a gateway that drains quickly, since tests end it. */
export function gatewayObject(namespace: string, name: string, spec: object = {}): object {
  const limits = { drainDelaySeconds: 1, drainSeconds: 5 }
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name, namespace }, spec: { limits, ...spec } }
}

export function routerObject(namespace: string, name: string, spec: object): object {
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace }, spec }
}

export function processorObject(namespace: string, name: string, spec: object): object {
  const whole = { gatewayRef: { name: 'main' }, ...spec }
  return { apiVersion: API, kind: 'Processor', metadata: { name, namespace }, spec: whole }
}

export function secretObject(namespace: string, name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData }
}

/** Lets the pods of a namespace read a gateway's bus; the operator's policy admits only the gateway's pods. */
export function busReaderPolicy(namespace: string, gateway: string, reader: string): object {
  const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': reader } } }]
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'bus-readers', namespace },
    spec: {
      podSelector: { matchLabels: { 'llmgateway.io/bus': gateway } },
      policyTypes: ['Ingress'],
      ingress: [{ from, ports: [{ port: 4222, protocol: 'TCP' }] }],
    },
  }
}
