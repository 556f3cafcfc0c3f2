import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startAllInOne } from '@llm-gateway/test/fake/all-in-one'
import { kubernetesPrograms, startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { installCrds } from '@llm-gateway/test/fake/install-crds'
import { startLlm } from '@llm-gateway/test/fake/llm'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { createExampleRunner, type ExampleRunner, examples, groups } from './api-examples-under-test.ts'

const ROOT = join(import.meta.dirname, '..')
const PASSWORD = 'password-of-the-docs'
const MOST_WAIT_MS = 60_000
const CLUSTER = 'Resources'

test('each group of requests has an example', () => {
  assert.ok(groups.length >= 6)
  assert.deepEqual([...new Set(examples.map(({ group }) => group))].toSorted(), groups.toSorted())
})

describe('the examples without a cluster do what the page says, one after another', () => {
  const stack = new AsyncDisposableStack()
  let runner: ExampleRunner | undefined
  before(async () => {
    const port = await freePort()
    const llm = stack.use(await startLlm())
    const all = stack.use(
      await startAllInOne(llm.url, {
        environment: { GUI_SECRET: PASSWORD, AISERVICE_API_KEY: 'key', GATEWAY_API_KEY: 'callers-key' },
        edit: (name, text) =>
          name === 'gui_config.json' ? text.replace('"gui_port": 8080', `"gui_port": ${port}`) : text,
      }),
    )
    await waitForLine(all.program, /"web interface initialized"/, MOST_WAIT_MS)
    const environment = { PATH: process.env.PATH }
    runner = stack.adopt(
      createExampleRunner({ url: `http://localhost:${port}`, password: PASSWORD, environment }),
      close,
    )
  })
  after(() => stack.disposeAsync())

  for (const example of examples.filter(({ group }) => group !== CLUSTER))
    test(example.title, async () => {
      assert.ok(runner)
      await runner.run(example)
    })
})

describe('the examples for Kubernetes do what the page says', { skip: whyNoApiServer(process.env) }, () => {
  const stack = new AsyncDisposableStack()
  let runner: ExampleRunner | undefined
  before(async () => {
    const server = await startApiServer()
    stack.defer(() => server.close())
    const kubectl = async (args: readonly string[], input = '') => {
      const { code, stderr } = await server.kubectl(args, input)
      assert.equal(code, 0, stderr)
    }
    await installCrds(server)
    await kubectl(['apply', '-f', join(ROOT, 'operator/deploy/cluster-role.yaml')])
    await kubectl(['create', 'namespace', 'llm'])
    await kubectl(['-n', 'llm', 'create', 'serviceaccount', 'main-web'])
    await kubectl(['-n', 'llm', 'create', 'secret', 'generic', 'main-web', `--from-literal=GUI_SECRET=${PASSWORD}`])
    for (const role of ['read', 'edit'])
      await kubectl(
        `-n llm create rolebinding main-web-${role} --clusterrole=llm-gateway-web-${role}.llm-gateway-system --serviceaccount=llm:main-web`.split(
          ' ',
        ),
      )
    const gateway = { apiVersion: 'llmgateway.io/v1alpha1', kind: 'LLMGateway', metadata: { name: 'main' }, spec: {} }
    await kubectl(['-n', 'llm', 'apply', '-f', '-'], JSON.stringify(gateway))
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'llm-gateway-docs-')), (path) =>
      rmSync(path, { recursive: true }),
    )
    const kubernetes = {
      namespace: 'llm',
      gateway: 'main',
      mode: 'Edit',
      namespaces: [],
      read_role: 'ClusterRole/read',
    }
    const file = join(folder, 'gui_config.json')
    const port = await freePort()
    writeFileSync(file, JSON.stringify({ gui_port: port, service_bus: { hostname: '127.0.0.1:1' }, kubernetes }))
    const kubeconfig = await server.createServiceAccountKubeconfig('llm', 'main-web')
    const program = stack.use(
      await startProgram({
        command: process.execPath,
        args: [join(ROOT, 'gateway/gui/server/src/main.ts'), '-o', file],
        environment: { PATH: process.env.PATH, GUI_SECRET: PASSWORD, KUBECONFIG: kubeconfig },
        cwd: folder,
      }),
    )
    await waitForLine(program, /"web interface initialized"/, MOST_WAIT_MS)
    const environment = {
      PATH: `${kubernetesPrograms()}:${process.env.PATH}`,
      KUBECONFIG: server.kubeconfig,
    }
    runner = stack.adopt(
      createExampleRunner({ url: `http://localhost:${port}`, password: 'other', environment }),
      close,
    )
  })
  after(() => stack.disposeAsync())

  for (const example of examples.filter(({ group }) => group === CLUSTER))
    test(example.title, async () => {
      assert.ok(runner)
      await runner.run(example)
    })
})

function close(runner: ExampleRunner): void {
  runner.close()
}
