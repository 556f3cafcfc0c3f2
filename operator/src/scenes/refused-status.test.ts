import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

const API = 'llmgateway.io/v1alpha1'
const POLICY = 'statuses-nobody-takes'
const QUIET_MS = 2_500

function resource(kind: string, name: string, spec: object): object {
  return { apiVersion: API, kind, metadata: { name, namespace: 'llm' }, spec }
}
function router(name: string, endpoint: string, gateway = 'main'): object {
  const outbound = { url: 'https://res.example/', endpoint }
  return resource('Router', name, { gatewayRef: { name: gateway }, path: `/${name}/`, outbound })
}
function processor(name: string, gateway: string): object {
  return resource('Processor', name, { gatewayRef: { name: gateway }, type: 'CharacterCount' })
}

/** A policy that refuses the status of each Router and Processor whose name begins with `refused`. */
const policy = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: POLICY },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['llmgateway.io'],
            apiVersions: ['*'],
            operations: ['UPDATE'],
            resources: ['routers/status', 'processors/status'],
          },
        ],
      },
      validations: [{ expression: "!object.metadata.name.startsWith('refused')" }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: POLICY },
    spec: { policyName: POLICY, validationActions: ['Deny'] },
  },
]

describe('statuses that the API server refuses', { skip: whyNoApiServer(process.env) }, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    for (const object of policy) await scene.apply(object)
    await scene.apply(router('refused-probe', '/v1', 'nowhere'))
    await scene.until('the policy is in force', async () => {
      const args = ['-n', 'llm', 'patch', 'router', 'refused-probe', '--subresource=status', '--type=merge']
      const { code, stderr } = await scene.server.kubectl([...args, '-p', '{"status":{"url":"x"}}', '--dry-run=server'])
      return code !== 0 && stderr.includes(POLICY) ? true : undefined
    })
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const generationSaid = async (kind: string, name: string): Promise<number | undefined> => {
    const { status } = await scene.get(kind, name)
    return status.conditions?.find(({ type }: { type: string }) => type === 'Programmed')?.observedGeneration
  }
  const says = (kind: string, name: string, generation: number) =>
    scene.untilTrue(`${kind} ${name} says ${generation}`, async () => (await generationSaid(kind, name)) === generation)

  test('a refused status does not delay the statuses of other Routers and of the gateway', async () => {
    await scene.apply(router('refused-first', '/v1'))
    await scene.apply(resource('LLMGateway', 'main', {}))
    await scene.apply(processor('refused-count', 'main'))
    await scene.apply(router('last', '/v1'))
    await says('router', 'last', 1)
    await says('llmgateway', 'main', 1)
    assert.equal(await generationSaid('router', 'refused-first'), undefined)
    const { status } = await scene.get('llmgateway', 'main')
    assert.equal(status.routers.attached, 2)
  })

  test('a refused status does not delay the statuses of Routers without a gateway', async () => {
    await scene.apply(router('refused-orphan', '/v1', 'absent'))
    await scene.apply(processor('orphan', 'absent'))
    await says('processor', 'orphan', 1)
  })

  test('edits take effect as fast as before, however often the status was refused', async () => {
    for (const [index, endpoint] of ['/v2', '/v3', '/v4'].entries()) {
      await scene.apply(router('last', endpoint))
      await says('router', 'last', index + 2)
    }
    const { data } = await scene.get('configmap', 'main-config')
    assert.match(data['gl_config.json'], /\/v4/)
    await scene.apply(resource('LLMGateway', 'main', { session: { header: 'X-Other' } }))
    await says('llmgateway', 'main', 2)
  })

  test('a refused status is logged with its resource, and tried ever more rarely', async () => {
    const logged = scene.lines.filter((line) => line.includes('the API server refused statuses; they are tried again'))
    assert.ok(logged.some((line) => line.includes('llm/refused-first') && line.includes('llm/refused-count')))
    const tries = () => scene.writes().filter((write) => write === 'patch routers refused-first status').length
    const before = tries()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    assert.ok(tries() - before <= 3, `${tries() - before} in ${QUIET_MS} ms`)
  })

  test('refused statuses are written once the obstacle is gone, and nothing more', async () => {
    await scene.kubectl(['delete', 'validatingadmissionpolicybinding', POLICY])
    await scene.kubectl(['delete', 'validatingadmissionpolicy', POLICY])
    await says('router', 'refused-first', 1)
    await says('processor', 'refused-count', 1)
    await says('router', 'refused-orphan', 1)
    await says('router', 'refused-probe', 1)
    // The events of these statuses follow them.
    await scene.quiet(QUIET_MS)
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
  })
})
