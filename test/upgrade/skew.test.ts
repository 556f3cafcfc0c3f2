import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { previousCheckout, whyNoPrevious } from '../../tools/previous/previous-checkout.ts'
import { type ApiServer, startApiServer, whyNoApiServer } from '../fake/api-server.ts'
import { type Program, startProgram } from '../fake/program.ts'
import { type Admin, createAdmin, type StoredObject } from '../operator/admin.ts'
import { configText } from '../operator/gateway-pods.ts'
import { until } from '../operator/wait.ts'
import { assertUnchanged } from './assert-unchanged.ts'

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures/previous')
/** The Routers of the resources and the marker; some of them only hold their path. */
const ROUTERS = 10

suite('the operator of each version with the CRDs of the other', {
  skip: whyNoApiServer(process.env) || whyNoPrevious(ROOT),
  timeout: 600_000,
}, () => {
  let server: ApiServer
  let admin: Admin
  let previous = ''
  before(async () => {
    const checkout = await previousCheckout(ROOT, process.env)
    assert.ok(checkout.kind === 'ready', JSON.stringify(checkout))
    previous = checkout.folder
    server = await startApiServer()
    admin = createAdmin(server)
  })
  after(async () => {
    admin?.close()
    await server?.close()
  })

  const kubectl = async (args: readonly string[], input?: string): Promise<void> => {
    const { code, stderr } = await server.kubectl(args, input)
    assert.equal(code, 0, stderr)
  }
  const install = async (checkout: string): Promise<void> => {
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', join(checkout, 'crds/manifests')])
    await until('our kinds', async () =>
      (await server.kubectl(['get', 'routers', '-A'])).code === 0 ? true : undefined,
    )
  }
  const file = async (): Promise<string | undefined> => {
    const configs = await admin.list('ConfigMap', 'llm')
    return configs.map(configText).find((text) => text !== undefined)
  }
  /** Waits until a Router's new endpoint is in the file: the operator has then read everything. */
  const editAndRead = async (operator: Program, endpoint: string): Promise<unknown> => {
    await admin.apply(markerOf(endpoint))
    const text = await until(`${endpoint} in the file; ${operator.lines.entries.at(-1)}`, async () => {
      const found = await file()
      return found?.includes(endpoint) && JSON.parse(found).routers.length === ROUTERS ? found : undefined
    })
    return JSON.parse(text.replaceAll(endpoint, 'ENDPOINT'))
  }
  const withOperator = async <T>(checkout: string, use: (operator: Program) => Promise<T>): Promise<T> => {
    const args = [
      '--kubeconfig',
      server.kubeconfig,
      '--image',
      'llm-gateway:test',
      '--port',
      '0',
      '--leader-elect=false',
    ]
    await using operator = await startProgram({
      command: process.execPath,
      args: [join(checkout, 'operator/src/main.ts'), ...args],
      environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    })
    return await use(operator)
  }

  test('an upgrade, its CRDs and a rollback keep the running gateways', async () => {
    await install(FIXTURES)
    await kubectl(['create', 'namespace', 'llm'])
    await kubectl(['apply', '-f', '-'], readFileSync(join(FIXTURES, 'imported/resources.yaml'), 'utf8'))
    const first = await withOperator(previous, (operator) => editAndRead(operator, 'before'))
    const upgraded = await withOperator(ROOT, (operator) => editAndRead(operator, 'operator-first'))
    assertUnchanged(first, upgraded, "today's operator, previous CRDs")
    await install(ROOT)
    assertUnchanged(
      first,
      await withOperator(ROOT, (operator) => editAndRead(operator, 'both')),
      "today's operator and CRDs",
    )
    const rolledBack = await withOperator(previous, async (operator) => {
      const found = await editAndRead(operator, 'operator-back')
      await until('a status of each Router', async () =>
        (await admin.list('Router')).every(hasAcceptedCondition) ? true : undefined,
      )
      return found
    })
    assertUnchanged(first, rolledBack, "previous operator, today's CRDs")
  })
})

function hasAcceptedCondition({ status }: StoredObject): boolean {
  return JSON.stringify(status)?.includes('"type":"Accepted"') === true
}

/** Returns a Router without values, because a value's name may contain its Router's generation. */
function markerOf(endpoint: string): object {
  return {
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'Router',
    metadata: { name: 'marker', namespace: 'llm' },
    spec: { gatewayRef: { name: 'main' }, path: '/marker/', outbound: { url: 'https://llm.example', endpoint } },
  }
}
