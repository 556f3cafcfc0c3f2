import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asStored } from './as-stored.ts'

const frame = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'b', labels: {}, ownerReferences: [] },
}

test('what a person left empty is left out of a pod template, quantities get the form they are kept in', () => {
  const containers = [
    {
      env: [{ name: 'EMPTY', value: '' }],
      resources: { limits: { cpu: 2, memory: '1024Mi' }, requests: {} },
      args: [],
      allow: false,
    },
  ]
  const volumes = [{ name: 'store', emptyDir: { sizeLimit: '2048Mi' } }]
  const nodeSelector = { 'node-role.kubernetes.io/gpu': '' }
  const template = { metadata: { annotations: {} }, spec: { containers, volumes, nodeSelector, priorityClassName: '' } }
  assert.deepEqual(asStored({ ...frame, spec: { replicas: 0, template } }).spec, {
    replicas: 0,
    template: {
      spec: {
        containers: [{ env: [{ name: 'EMPTY' }], resources: { limits: { cpu: '2', memory: '1Gi' } }, allow: false }],
        volumes: [{ name: 'store', emptyDir: { sizeLimit: '2Gi' } }],
        nodeSelector,
      },
    },
  })
})

test('what has no pod template stays as it is: an empty list of a NetworkPolicy says something', () => {
  const policy = { ...frame, kind: 'NetworkPolicy', spec: { podSelector: {}, ingress: [] } }
  assert.equal(asStored(policy), policy)
})
