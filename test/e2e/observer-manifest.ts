import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'observer'
const PORT = 8099

/** Returns the objects that run `observer.ts` in a namespace. With a bus the observer also reads records. */
export function observerObjects(
  namespace: string,
  image: string,
  bus?: { readonly secret: string; readonly host: string },
) {
  const labels = { app: NAME }
  const metadata = { name: NAME, namespace }
  const env =
    bus === undefined ? [] : [{ name: 'NATS_TOKEN', valueFrom: { secretKeyRef: { name: bus.secret, key: 'token' } } }]
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { 'observer.mts': readFileSync(join(import.meta.dirname, 'observer.ts'), 'utf8') },
    },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: PORT }] } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 0,
            containers: [
              {
                name: NAME,
                image,
                command: ['node', '/observer/observer.mts', ...(bus === undefined ? [] : [bus.host, '$(NATS_TOKEN)'])],
                env,
                // The observer is also the LLM API, and may be slow on a busy machine.
                readinessProbe: {
                  httpGet: { path: '/ready', port: PORT },
                  periodSeconds: 1,
                  timeoutSeconds: 10,
                  failureThreshold: 60,
                },
                volumeMounts: [{ name: NAME, mountPath: '/observer' }],
              },
            ],
            volumes: [{ name: NAME, configMap: { name: NAME } }],
          },
        },
      },
    },
  ]
}
