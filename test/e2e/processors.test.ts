import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { FOREIGN_EXAMPLES } from '../conformance/foreign-example.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { curl } from './curl.ts'
import { writeExampleImage } from './example-image.ts'
import {
  busReaderPolicy,
  gatewayObject,
  namespaceObject,
  processorObject,
  routerObject,
  secretObject,
  UPSTREAM,
} from './gateway-objects.ts'
import { IMAGE, type KubeScene, OBSERVER_NAMESPACE, startKubeScene } from './kube-scene.ts'
import { observerObjects } from './observer-manifest.ts'

// Rules: docs/reference/kubernetes.md#processors, docs/reference/kubernetes.md#reasons

const NS = 'llm'
/** Time for the head of a slow call to arrive. */
const BEGIN_MS = 500

/**
 * Stands for a person's own image: the shipped image's entrypoint is Node, and this module is loaded before the
 * program. The module adds the mark of its settings file to each record.
 */
const PROGRAM = `
import { readFileSync } from 'node:fs'
import { noSettings, runProcessor } from 'file:///app/processors/sdk/src/index.ts'
process.argv.splice(2)
const { mark } = JSON.parse(readFileSync(process.env.PROCESSOR_CONFIG, 'utf8'))
const create = () => ({ answer: () => ({ pii: mark }) })
process.exit(await runProcessor({ name: 'pii', version: '1.0.0', settings: noSettings, create }, process))
`
const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(PROGRAM).toString('base64')}`

describe('Processors in a real cluster', { skip: whyNoCluster(process.env) }, () => {
  let scene: KubeScene
  let url = ''

  before(async () => {
    scene = await startKubeScene(process.env)
    await scene.apply({
      ...namespaceObject(NS),
      metadata: { name: NS, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    })
  })
  after(async () => scene?.close())

  const custom = (mark: string) =>
    processorObject(NS, 'pii', {
      type: 'Custom',
      custom: { image: IMAGE, config: { mark } },
      env: [{ name: 'NODE_OPTIONS', value: NODE_OPTIONS }],
      routers: ['/a/'],
      request: { required: true, inputFields: ['ingress_payload'], outputFields: ['pii'] },
    })
  /** Gives the observer the bus's token. The observer restarts for this, so call it before any load. */
  const readRecords = async (): Promise<void> => {
    const token = await scene.until('a token', async () => {
      const path = 'jsonpath={.data.token}'
      const text = await scene.kubectl(['-n', NS, 'get', 'secret', 'main-bus-token', '--ignore-not-found', '-o', path])
      return text === '' ? undefined : text
    })
    await scene.apply(
      { ...secretObject(OBSERVER_NAMESPACE, 'bus', {}), data: { token } },
      busReaderPolicy(NS, 'main', OBSERVER_NAMESPACE),
    )
    await scene.apply(...observerObjects(OBSERVER_NAMESPACE, IMAGE, { secret: 'bus', host: `main-bus.${NS}.svc` }))
    await scene.rolledOut(OBSERVER_NAMESPACE, 'observer')
  }
  const call = async () => (await curl(scene, `${url}/a/x`)).status
  const lastRecord = async () => {
    const records: unknown = await scene.observe('/records')
    return Array.isArray(records) ? records.at(-1)?.request : undefined
  }
  const underLoad = async (change: () => Promise<void>): Promise<void> => {
    await scene.observe(`/load?callers=2&url=${encodeURIComponent(`http://main.${NS}.svc:5380/a/`)}`)
    await change()
    assert.deepEqual(await scene.endLoad(), {})
  }
  /** Sends a call whose body comes after some seconds. Returns the status. */
  const slowCall = async (seconds: number): Promise<string> => {
    const body = `(sleep ${seconds}; printf '{}')`
    const curlArgs = "-sS -m 60 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -X POST -T -"
    const { code, stdout, stderr } = await scene.cluster.exec(['sh', '-c', `${body} | curl ${curlArgs} ${url}/a/x`])
    assert.equal(code, 0, stderr)
    return stdout
  }
  const isGone = async (...what: readonly string[]) =>
    (await scene.kubectl(['-n', NS, 'get', ...what, '--ignore-not-found', '-o', 'name'])) === '' ? true : undefined

  test('a shipped and a Custom Processor are called, and the record has their fields', async () => {
    await scene.apply(gatewayObject(NS, 'main'))
    await readRecords()
    await scene.apply(
      routerObject(NS, 'a', { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: UPSTREAM } }),
      processorObject(NS, 'characters', { type: 'CharacterCount' }),
      custom('1'),
    )
    const all = ['processor/characters', 'processor/pii']
    await scene.wait(['-n', NS, ...all], 'Ready')
    await scene.wait(['-n', NS, ...all, 'llmgateway/main'], 'Programmed')
    const address = await scene.kubectl(['-n', NS, 'get', 'service', 'main', '-o', 'jsonpath={.spec.clusterIP}'])
    url = `http://${address}:5380`
    const request = await scene.until('a record', async () => {
      assert.equal(await call(), 200)
      return lastRecord()
    })
    assert.equal(request.pii, '1')
    assert.equal(request.character_count, '{"messages":[{"role":"user","content":"Hi"}]}'.length)
  })

  test('new settings restart the Processor’s pods under load without a failed call', async () => {
    await underLoad(async () => {
      await scene.apply(custom('2'))
      await scene.until('the new settings', async () => ((await lastRecord())?.pii === '2' ? true : undefined))
    })
  })

  test('calls are refused while a required Processor has no pods, and its status names the missing part', async () => {
    const patch = (replicas: number) => scene.kubectl(['-n', NS, 'scale', 'processor', 'pii', `--replicas=${replicas}`])
    await patch(0)
    await scene.until('503', async () => ((await call()) === 503 ? true : undefined))
    await scene.wait(['-n', NS, 'processor/pii'], 'Ready=False')
    await scene.wait(['-n', NS, 'processor/pii'], 'Programmed')
    await patch(1)
    await scene.wait(['-n', NS, 'processor/pii'], 'Ready')
    await scene.until('200', async () => ((await call()) === 200 ? true : undefined))
  })

  test('adding and deleting a required Processor under load fails no call', async () => {
    await underLoad(async () => {
      for (const round of ['3', '4']) {
        const slow = slowCall(4)
        await new Promise((resolve) => setTimeout(resolve, BEGIN_MS))
        await scene.kubectl(['-n', NS, 'delete', 'processor', 'pii'])
        assert.equal(await slow, '200')
        for (const kind of ['deployment', 'serviceaccount', 'configmap']) {
          await scene.until(`no ${kind}`, () => isGone(`${kind}/pii-processor`))
        }
        await scene.until('no pods', () => isGone('pods', '-l', 'llmgateway.io/processor=pii'))
        assert.equal((await lastRecord())?.pii, undefined)
        await scene.apply(custom(round))
        await scene.wait(['-n', NS, 'processor/pii'], 'Programmed')
        await scene.until('a record', async () => ((await lastRecord())?.pii === round ? true : undefined))
      }
    })
  })

  test('the status distinguishes a missing image from a program that exits', async () => {
    const point = { request: { outputFields: ['x'] } }
    const exit = [{ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,process.exit(1)' }]
    await scene.apply(
      processorObject(NS, 'no-image', { type: 'Custom', custom: { image: 'registry.invalid/none:1' }, ...point }),
      processorObject(NS, 'ends', { type: 'Custom', custom: { image: IMAGE }, env: exit, ...point }),
    )
    for (const [name, reason] of [
      ['no-image', 'ImagePullFailed'],
      ['ends', 'CrashLooping'],
    ] as const) {
      const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}'
      await scene.until(reason, async () =>
        (await scene.kubectl(['-n', NS, 'get', 'processor', name, '-o', path])) === reason ? true : undefined,
      )
    }
    assert.equal(await call(), 200)
    await scene.kubectl(['-n', NS, 'delete', 'processor', 'no-image', 'ends'])
  })

  for (const language of ['TypeScript', 'Python', 'Go'] as const) {
    const name = `words-${language.toLowerCase()}`
    // The example's image can't be loaded into a foreign cluster.
    const skip = Boolean(process.env.KUBECONFIG)
    const title = `the example in ${language} runs as a Custom Processor, is called, and goes without a failed call`
    test(title, { skip }, async (context) => {
      const example = await FOREIGN_EXAMPLES.get(language)?.(process.env)
      if (example?.kind !== 'ready') {
        if (process.env.CI === 'true') assert.fail(example?.reason)
        return context.skip(example?.reason)
      }
      await withFolder(async (folder) => {
        const out = join(folder, 'image.tar')
        await writeExampleImage(example, { name: `docker.io/examples/${name}:1`, out }, process.env)
        await scene.cluster.loadImage(out)
      })
      await scene.apply(
        processorObject(NS, name, {
          type: 'Custom',
          custom: { image: `docker.io/examples/${name}:1` },
          routers: ['/a/'],
          request: { required: true, inputFields: ['ingress_payload'], outputFields: ['word_count'] },
        }),
      )
      await scene.wait(['-n', NS, `processor/${name}`], 'Ready')
      await scene.wait(['-n', NS, `processor/${name}`], 'Programmed')
      await scene.until('the word count in the record', async () => {
        assert.equal(await call(), 200)
        return (await lastRecord())?.word_count === 1 ? true : undefined
      })
      await underLoad(async () => {
        await scene.kubectl(['-n', NS, 'delete', 'processor', name])
        await scene.until('no pods', () => isGone('pods', '-l', `llmgateway.io/processor=${name}`))
      })
    })
  }

  test('every shipped type of Processor starts with the settings of its resource', async () => {
    const types = ['Tokenizer', 'Mock', 'Regex', 'NlpEntities', 'ContentFilter', 'TokenCounter']
    await scene.apply(
      ...types.map((type) => processorObject(NS, type.toLowerCase(), { type })),
      routerObject(NS, 'b', { gatewayRef: { name: 'main' }, path: '/b/', outbound: { url: UPSTREAM } }),
      processorObject(NS, 'broker', { type: 'Broker', broker: { pools: [{ path: '/b/', members: ['/a/'] }] } }),
    )
    const all = [...types.map((type) => type.toLowerCase()), 'broker'].map((name) => `processor/${name}`)
    await scene.wait(['-n', NS, ...all], 'Ready')
    await scene.wait(['-n', NS, ...all], 'Programmed')
    assert.equal((await curl(scene, `${url}/a/x`)).status, 200)
    const replay = await scene.until('a replay', async () => {
      const answer = await curl(scene, `${url}/mock/a/x`)
      return answer.status === 200 ? answer : undefined
    })
    assert.match(replay.body, /\/llm\/x/)
    const pooled = await curl(scene, `${url}/b/x`)
    assert.equal(pooled.status, 200)
    console.log(await scene.kubectl(['-n', NS, 'get', 'processors']))
  })
})

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-example-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
