import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { KubeAccess } from './kube-access.ts'
import { loadKubeAccess, serviceAccountAccess } from './load-kube-access.ts'
import { readKubeconfig } from './read-kubeconfig.ts'
import { createTransport } from './transport.ts'

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
after(() => rmSync(folder, { recursive: true }))

function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'b',
    contexts: [
      { name: 'a', context: { cluster: 'other', user: 'other' } },
      { name: 'b', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example', ...cluster } }],
    users: [{ name: 'u', user }],
  })
}

const read = (text: string) => readKubeconfig(join(folder, 'config'), text)

test('the current context of a kubeconfig is read: token, CA and client certificate, as text or as a file beside it', async () => {
  writeFileSync(join(folder, 'ca.crt'), 'CA')
  writeFileSync(join(folder, 'token'), 'from file')
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const certificate = { 'client-certificate-data': encoded('CERT'), 'client-key-data': encoded('KEY') }
  const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'inner' }
  const access = await read(kubeconfig({ token: 'secret', ...certificate }, cluster))
  assert.equal(access?.server, 'https://api.example')
  const tls = { ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'inner', rejectUnauthorized: undefined }
  assert.deepEqual(access?.tls, tls)
  assert.equal(await access?.authorization(), 'Bearer secret')
  const file = await read(kubeconfig({ tokenFile: 'token' }))
  assert.equal(await file?.authorization(), 'Bearer from file')
})

test('a kubeconfig that runs a program for its credentials is left to the client that can run it', async () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: [
      '-e',
      'console.log(JSON.stringify({apiVersion:"client.authentication.k8s.io/v1",kind:"ExecCredential",status:{token:"made"}}))',
    ],
    interactiveMode: 'Never',
  }
  for (const user of [{ exec }, { 'auth-provider': { name: 'x' } }, { username: 'a', password: 'b' }]) {
    assert.equal(await read(kubeconfig(user)), undefined)
  }
  assert.equal(await read(kubeconfig({}, { 'proxy-url': 'http://proxy' })), undefined)
  const file = join(folder, 'exec')
  writeFileSync(file, kubeconfig({ exec }))
  const access = await loadKubeAccess(file)
  assert.equal(await access.authorization(), 'Bearer made')
})

test('in a cluster the service account gives access; outside a cluster the error names the missing option', () => {
  writeFileSync(join(folder, 'ca.crt'), 'CA')
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }
  const access = serviceAccountAccess(environment, folder)
  assert.deepEqual([access.server, access.tls], ['https://[fd00::1]:6443', { ca: 'CA' }])
  assert.throws(() => serviceAccountAccess({}, folder), /--kubeconfig FILE is missing/)
})

test('a real API server accepts the certificate and the token', { skip: whyNoApiServer(process.env) }, async () => {
  await using server = await startApiServer()
  const who = async (access: KubeAccess): Promise<string> => {
    const transport = createTransport({ access })
    try {
      const { body } = await transport.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      })
      return JSON.stringify(body)
    } finally {
      await transport.close()
    }
  }
  const user = await server.createUser('ann', ['readers'])
  assert.match(await who(await loadKubeAccess(user)), /"username":"ann"/)
  assert.match(await who(await loadKubeAccess(server.kubeconfig)), /"system:masters"/)
})
