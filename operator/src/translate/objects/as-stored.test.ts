import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment, NetworkPolicy } from '../../model/manifest.ts'
import { asStored } from './as-stored.ts'

const metadata = { name: 'a', namespace: 'b', labels: {}, ownerReferences: [] }
const selector = { matchLabels: { a: 'b' } }

test('empty fields of a pod template are left out, quantities get the form in which the API server keeps them', () => {
  const container = {
    name: 'c',
    env: [{ name: 'EMPTY', value: '' }],
    resources: { limits: { cpu: '2', memory: '1024Mi' }, requests: {} },
    args: [],
    tty: false,
  }
  const volumes = [{ name: 'store', emptyDir: { sizeLimit: '2048Mi' } }]
  const nodeSelector = { 'node-role.kubernetes.io/gpu': '' }
  const template = {
    metadata: { annotations: {} },
    spec: { containers: [container], volumes, nodeSelector, tolerations: undefined, priorityClassName: '' },
  }
  const spec = { replicas: 0, paused: undefined, selector, template }
  const deployment: Deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }
  assert.deepStrictEqual(asStored(deployment).spec, {
    replicas: 0,
    selector,
    template: {
      spec: {
        containers: [
          { name: 'c', env: [{ name: 'EMPTY' }], resources: { limits: { cpu: '2', memory: '1Gi' } }, tty: false },
        ],
        volumes: [{ name: 'store', emptyDir: { sizeLimit: '2Gi' } }],
        nodeSelector,
      },
    },
  })
})

test('an empty list outside of a pod template stays: in a NetworkPolicy it admits nobody', () => {
  const spec = { podSelector: {}, ingress: [] }
  const policy: NetworkPolicy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec }
  assert.deepStrictEqual(asStored(policy), policy)
})
