import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Certificate } from '../fake/certificates.ts'
import { namespaceObject, secretObject } from './gateway-objects.ts'

/** Names of the real LLM APIs, which the cluster's DNS resolves to the fakes. */
export const WORLD_HOSTS = [
  'api.openai.com',
  'res.openai.azure.com',
  'api.anthropic.com',
  'generativelanguage.googleapis.com',
  'bedrock-runtime.eu-central-1.amazonaws.com',
] as const
/** The namespace of `llm-apis.ts`. */
export const MODELS = 'models'
const NAME = 'llm-apis'
const FOLDER = '/llm-apis'

/** Returns the objects that run `llm-apis.ts`. `tls` covers all WORLD_HOSTS, and `key` is the callers' key. */
export function llmApiObjects(image: string, tls: Certificate, key: string): readonly object[] {
  const labels = { app: NAME }
  const metadata = { name: NAME, namespace: MODELS }
  const program = readFileSync(join(import.meta.dirname, `${NAME}.ts`), 'utf8')
  const service = (name: string, port: number, targetPort: number) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: MODELS },
    spec: { selector: labels, ports: [{ port, targetPort }] },
  })
  const container = {
    name: NAME,
    image,
    command: ['node', `${FOLDER}/${NAME}.mts`, FOLDER, key],
    readinessProbe: { httpGet: { path: '/', port: 8099 }, periodSeconds: 1, timeoutSeconds: 10 },
    volumeMounts: [{ name: NAME, mountPath: FOLDER }],
  }
  const sources = [{ configMap: { name: NAME } }, { secret: { name: NAME } }]
  const spec = {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [container],
    volumes: [{ name: NAME, projected: { sources } }],
  }
  return [
    namespaceObject(MODELS),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [`${NAME}.mts`]: program } },
    secretObject(MODELS, NAME, { 'tls.crt': tls.certificate.toString(), 'tls.key': tls.privateKey.toString() }),
    service('world', 443, 8443),
    service('vllm', 8000, 8000),
    service('ollama', 11434, 11434),
    service('seen', 8099, 8099),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ]
}
