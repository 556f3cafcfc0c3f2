import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../fake/example-set.ts'
import type { GatewayConfig } from '../fake/gateway-file.ts'
import { startLoad } from '../fake/load.ts'
import { type ProcessorName, whyAbsent } from '../fake/processor-program.ts'

const RATE = 200
const ABSENT = whyAbsent('regex', process.env)
const PROCESSORS: readonly ProcessorName[] = [
  ...(['charactercount', 'tokenizer', 'mock', 'broker', 'contentfilter', 'nlpentities', 'tokencounter'] as const),
  ...(ABSENT === undefined ? (['regex'] as const) : []),
]
/** The timeouts of the shipped rows that wait. */
const WAITS_MS: Readonly<Partial<Record<ProcessorName, number>>> = { tokencounter: 1_000, regex: 2_000 }
/** What a machine adds whose cores are all taken; an answer that nothing limits would take longer still. */
const BUSY_MS = 10_000

const OPTIONAL = PROCESSORS.filter((name) => name !== 'contentfilter' && name !== 'broker')
const REQUIRED = [
  { name: 'contentfilter', path: `/service/standard/${CHAT_PATH}`, timeoutMs: 5_000 },
  { name: 'mock', path: `/mock/json/${CHAT_PATH}`, timeoutMs: 3_000 },
  { name: 'broker', path: '/pool/', timeoutMs: 1_000 },
] as const
const OPTIONS = {
  // The dead member of the pool would answer 502, which is not what this is about.
  broker: { settings: { pools: [{ path: '/pool/', members: ['/pool/gpt4/', '/pool/gpt35turbo/'] }] } },
  // A mock that is killed finds its recordings again.
  mock: { settings: { shared: true } },
} as const

describe(`wire 2 and 6: every processor killed in turn at ${RATE} calls a second`, () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: PROCESSORS, options: OPTIONS, change: hastenReplays })
    // For the replays.
    await set.ask(`/json/${CHAT_PATH}`, chat('Hello'))
  })
  after(() => set.close())

  for (const name of OPTIONAL) {
    it(`${name}: no call fails that does not require it, none is later than its entry’s timeout`, async () => {
      await using load = startLoad({ port: set.gateway.port, paths: [`/json/${CHAT_PATH}`], rate: RATE })
      await load.more(RATE / 2)
      await set.stopAll(name)
      await load.more(RATE / 2)
      await set.start(name, name === 'mock' ? OPTIONS.mock : {})
      await load.more(RATE / 2)
      await load.stop()
      assert.deepEqual([load.failed, load.failures], [0, []])
      assert.ok(load.slowestMs <= (WAITS_MS[name] ?? 0) + BUSY_MS, `${load.slowestMs} ms`)
    })
  }

  for (const { name, path, timeoutMs } of REQUIRED) {
    it(`${name}: a call that requires it is 503 PROCESSOR_REQUIRED meanwhile, and right again after it is back`, async () => {
      await using load = startLoad({ port: set.gateway.port, paths: [path], rate: RATE })
      await load.more(RATE / 2)
      await set.stopAll(name)
      await load.more(RATE / 2)
      await set.start(name, name === 'contentfilter' ? {} : OPTIONS[name])
      await load.stop()
      // A replay is another call's answer: for the load that is none.
      const unexpected = load.failures.filter((failure) => !/: (503 .*"code":"PROCESSOR_REQUIRED"|200 )/.test(failure))
      assert.deepEqual(unexpected, [])
      assert.ok(load.failed > 0)
      assert.ok(load.slowestMs <= timeoutMs + BUSY_MS, `${load.slowestMs} ms`)
      for (let call = 0; call < 10; call += 1) assert.equal((await set.ask(path, chat('Hello'))).status, 200)
    })
  }
})

/** A replay under way when the mock is killed waits for its entry's timeout, a minute as shipped: here two seconds. */
function hastenReplays(config: GatewayConfig): GatewayConfig {
  return JSON.parse(JSON.stringify(config).replace('"timeout":60000', '"timeout":2000'))
}
