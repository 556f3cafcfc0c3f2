import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { whyNoHelm } from '../../tools/helm/helm.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { checkLlmApi, LLM_APIS, SCENARIOS } from './example-checks.ts'
import { exampleCommands } from './example-readme.ts'
import { EXAMPLES, type ExampleScene, startExampleScene } from './example-scene.ts'

const foreign = process.env.KUBECONFIG ? 'LLM APIs have other names in a cluster of somebody else' : false
const missing = process.env.CI === 'true' ? false : (whyNoHelm(join(import.meta.dirname, '../..')) ?? false)

describe('the examples work by the commands of their READMEs', {
  skip: whyNoCluster(process.env) || foreign || missing,
}, () => {
  let scene: ExampleScene
  const uses = new Map<string, readonly string[]>()
  before(async () => {
    scene = await startExampleScene(process.env)
    const folders = [
      ...[...SCENARIOS.keys()].map((name) => `scenarios/${name}`),
      ...[...LLM_APIS.keys()].map((name) => `llm-apis/${name}`),
    ]
    // All are applied first, so that their pods start in parallel; json would take markdown's Processor.
    for (const folder of folders.filter((folder) => folder !== 'scenarios/json')) {
      uses.set(folder, (await scene.setUp(folder)).use)
    }
  })
  after(() => scene?.close())

  /** Runs the README's waits and returns the remaining commands. */
  const ready = async (use: readonly string[]): Promise<readonly string[]> => {
    const isWait = (command: string) => command.startsWith('kubectl') && command.includes(' wait ')
    for (const command of use.filter(isWait)) await scene.run(command)
    return use.filter((command) => !isWait(command))
  }

  for (const [group, names] of [
    ['scenarios', SCENARIOS],
    ['llm-apis', LLM_APIS],
  ] as const) {
    test(`every folder of ${group} has a check`, () => {
      assert.deepEqual([...names.keys()].toSorted(), readdirSync(join(EXAMPLES, group)).toSorted())
    })
  }

  for (const [name, check] of SCENARIOS) {
    test(`scenarios/${name}`, async () => {
      const use = uses.get(`scenarios/${name}`) ?? (await scene.setUp(`scenarios/${name}`)).use
      await check(scene, await ready(use))
    })
  }

  for (const name of LLM_APIS.keys()) {
    test(`llm-apis/${name}: the LLM API is called under its real host name, in its dialect and with its key`, async () => {
      const [command = ''] = await ready(uses.get(`llm-apis/${name}`) ?? [])
      const look = exampleCommands(join(EXAMPLES, 'scenarios/characters/README.md')).use.at(-1) ?? ''
      await checkLlmApi(scene, name, command, look)
    })
  }

  test('helm uninstall leaves the resources of the examples, and no pod', async () => {
    await scene.run('helm uninstall gw -n llm --wait --timeout 4m')
    await scene.kube.until('no pods, no Lease', async () => {
      const left = await scene.run('kubectl -n llm get all,llmgateways,leases -o name')
      return left.trim() === '' ? true : undefined
    })
    const routers = (await scene.run('kubectl -n llm get routers -o name')).trim().split('\n')
    assert.ok(routers.length >= SCENARIOS.size / 2 + LLM_APIS.size, routers.join())
  })
})
