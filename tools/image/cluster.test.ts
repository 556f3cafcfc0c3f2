import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCluster } from '../cluster/cluster.ts'
import { ensureClusterParts, whyNoCluster } from '../cluster/cluster-parts.ts'
import { buildImage } from './build-image.ts'
import { parseImageName } from './image-name.ts'

const root = join(import.meta.dirname, '../..')
const skip = whyNoCluster(root) ?? false

/** A pod for the strictest namespace: restricted, with a read-only root. */
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'gateway' },
  spec: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'gateway',
        image: 'llm-gateway:in-a-pod',
        imagePullPolicy: 'Never',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        readinessProbe: { tcpSocket: { port: 5380 }, periodSeconds: 1 },
      },
    ],
  },
}

test('a kubelet runs the archive by its short name, in a restricted pod', { skip, timeout: 900_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-image-'))
  try {
    const [file, name] = [join(folder, 'image.tar'), parseImageName('llm-gateway:in-a-pod')]
    assert.ok(name !== undefined)
    const target = { kind: 'archive', file, name } as const
    const imageBuild = { root, environment: process.env, say: () => undefined }
    const options = { ...imageBuild, target, platforms: [], isRelease: false, epoch: 0 }
    assert.deepEqual(await buildImage(options), { kind: 'built' })
    const outcome = await ensureClusterParts(imageBuild)
    assert.ok(outcome.kind === 'ready')
    await using cluster = await startCluster({ ...outcome.parts, folder: join(folder, 'cluster') })
    await cluster.loadImage(file)
    const manifests = JSON.stringify(POD)
    const kubectl = async (args: readonly string[], input?: string) => {
      const { code, stdout, stderr } = await cluster.kubectl(args, input)
      assert.equal(code, 0, stderr)
      return stdout
    }
    await kubectl(['apply', '-f', '-'], manifests)
    await kubectl(['wait', '--for=condition=Ready', 'pod/gateway', '--timeout=110s'])
    const address = await kubectl(['get', 'pod', 'gateway', '-o', 'jsonpath={.status.podIP}'])
    const url = `http://${address}:5380/echo/`
    const json = ['-H', 'Content-Type: application/json', '-d', '{"a":1}']
    assert.equal((await cluster.exec(['curl', '-sS', '-m', '60', ...json, url])).stdout, '{"a":1}')
    const page = `process.stdout.write(require('node:fs').readFileSync('/app/gateway/gui/web/dist/index.html'))`
    assert.match(await kubectl(['exec', 'gateway', '--', 'node', '-e', page]), /<script type="module"/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
