import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import type { GatewayConfig } from '../../fake/gateway-file.ts'
import { startLoad } from '../../fake/load.ts'
import { type ProcessorName, whyNoProcessor } from '../../fake/processor-program.ts'

// Rules: docs/reference/bus.md#required, docs/reference/bus.md#failures

const RATE = 200
const ABSENT = whyNoProcessor('regex', process.env)
const PROCESSORS: readonly ProcessorName[] = [
  ...(['charactercount', 'tokenizer', 'mock', 'broker', 'contentfilter', 'nlpentities', 'tokencounter'] as const),
  ...(ABSENT === undefined ? (['regex'] as const) : []),
]
/** The timeout of every entry: a call at a killed processor waits that long, and a busy machine may pause. */
const TIMEOUT_MS = 3_000

const OPTIONAL = PROCESSORS.filter((name) => name !== 'contentfilter' && name !== 'broker')
const REQUIRED = [
  { name: 'contentfilter', path: `/service/standard/${CHAT_PATH}` },
  { name: 'mock', path: `/mock/json/${CHAT_PATH}` },
  { name: 'broker', path: '/pool/' },
] as const
const OPTIONS = {
  // Without the pool's dead member, whose 502 is not the subject here.
  broker: { settings: { pools: [{ path: '/pool/', members: ['/pool/gpt4/', '/pool/gpt35turbo/'] }] } },
  // With a shared store a new mock finds the recordings of a killed mock.
  mock: { settings: { shared: true } },
} as const

describe(`every processor is killed in turn, at ${RATE} calls a second`, () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: PROCESSORS, options: OPTIONS, change: withTimeouts })
    // Recorded for the replays.
    await set.ask(`/json/${CHAT_PATH}`, chat('Hello'))
  })
  after(() => set.close())

  for (const name of OPTIONAL) {
    it(`while ${name} is killed no call without a requirement fails`, async () => {
      await using load = startLoad({ port: set.gateway.port, paths: [`/json/${CHAT_PATH}`], rate: RATE })
      await load.more(RATE / 2)
      await set.stopAll(name)
      await load.more(RATE / 2)
      await set.start(name, name === 'mock' ? OPTIONS.mock : {})
      await load.more(RATE / 2)
      await load.stop()
      assert.deepEqual([load.failed, load.failures], [0, []])
    })
  }

  for (const { name, path } of REQUIRED) {
    it(`a call that requires ${name} gets 503 PROCESSOR_REQUIRED meanwhile, and succeeds after the restart`, async () => {
      await using load = startLoad({ port: set.gateway.port, paths: [path], rate: RATE })
      await load.more(RATE / 2)
      await set.stopAll(name)
      await load.more(RATE / 2)
      await set.start(name, name === 'contentfilter' ? {} : OPTIONS[name])
      await load.stop()
      // A replay is another call's answer, so the load counts it as a failure.
      const unexpected = load.failures.filter((failure) => !/: (503 .*"code":"PROCESSOR_REQUIRED"|200 )/.test(failure))
      assert.deepEqual(unexpected, [])
      assert.ok(load.failed > 0)
      for (let call = 0; call < 10; call += 1) assert.equal((await set.ask(path, chat('Hello'))).status, 200)
    })
  }
})

function withTimeouts(config: GatewayConfig): GatewayConfig {
  return JSON.parse(JSON.stringify(config), (key, value) => (key === 'timeout' ? TIMEOUT_MS : value))
}
