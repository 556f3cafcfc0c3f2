import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import zlib from 'node:zlib'
import { Header, type HeaderMap } from '../http/headers.ts'
import { MemoryShare } from '../memory/memory-account.ts'
import { type IntakeResult, openIntake } from './answer-intake.ts'
import { gatewayWith } from './transact-under-test.ts'
import type { Gateway } from './transaction.ts'

// Rules: docs/reference/http.md#answers

const MIB = 1024 * 1024

async function withGateway(run: (gateway: Gateway) => Promise<void>): Promise<void> {
  const unused = { send: () => assert.fail('no call is sent'), close: async () => undefined }
  const gateway = gatewayWith(unused, [], [])
  try {
    await run(gateway)
  } finally {
    await gateway.bus.close()
  }
}

type CodedAnswer = { readonly router: string; readonly coding: string; readonly body: Buffer }

async function finish(gateway: Gateway, { router, coding, body }: CodedAnswer): Promise<IntakeResult> {
  const headers: HeaderMap = new Map([['content-encoding', new Header('Content-Encoding', [coding])]])
  const memory = gateway.account.open(router, new MemoryShare())
  const intake = openIntake({ memory, runtime: gateway.live.current }, headers, { keepsBytes: false, gateway })
  intake.add(body)
  const result = await intake.finish()
  memory.releaseAll()
  return result
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the most bytes outside of V8's heap, zlib's windows among them, that were added while the promise ran. */
async function mostExternalBytes(running: Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().external
  let most = 0
  let isRunning = true
  let looks = 0
  const look = (): void => {
    looks += 1
    // Payloads that nobody holds any longer are not counted.
    if (looks % 50 === 0) collect()
    if (looks % 50 === 0) most = Math.max(most, process.memoryUsage().external - before)
    if (isRunning) setImmediate(look)
  }
  look()
  await running
  isRunning = false
  return most
}

/** Slightly more than what is decoded at once. */
const BODY = Buffer.alloc(300 * 1024, '1')
const LARGE_BODY = Buffer.alloc(4 * MIB, '1')
const wide = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } }
const deflated = (times: number) => Array.from({ length: times }).reduce<Buffer>((body) => zlib.deflateSync(body), BODY)

test('the decoders of many routers have a bound together', async () => {
  await withGateway(async (gateway) => {
    const body = zlib.brotliCompressSync(LARGE_BODY, wide)
    const answers = Array.from({ length: 20 }, async (_, i) => {
      const { payload } = await finish(gateway, { router: `/${i}/`, coding: 'br', body })
      assert.ok(payload.kind === 'json')
      assert.equal(payload.bytes.length, LARGE_BODY.length)
    })
    const most = await mostExternalBytes(Promise.all(answers))
    assert.ok(most < 40 * MIB, `${most} bytes`)
  })
})

/** The time in which an answer that waits for nothing is decoded on the busiest machine. */
const MOST_MS = 20_000

type Decodings = 'decodings' | 'shortDecodings'

/** Takes all places of decoders, also those of `/a/`, while `run` runs; fails where `run` waits for a place. */
async function withBusyDecoders(gateway: Gateway, busy: readonly Decodings[], run: () => Promise<void>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    resolve()
  }, MOST_MS)
  const others = busy.flatMap((name) =>
    ['a', 'b', 'c', 'e', 'f', 'g', 'h', 'i', 'j'].map((router) =>
      gateway[name].run(gateway.account.open(`/${router}/`, new MemoryShare()).router, () => end),
    ),
  )
  await run()
  clearTimeout(timer)
  resolve()
  await Promise.all(others)
  assert.ok(!isLate)
}

for (const [title, coding, body] of [
  ['one coding', 'deflate', deflated(1)],
  ['four codings', 'deflate, deflate, deflate, deflate', deflated(4)],
  ['gzip', 'gzip', zlib.gzipSync(BODY)],
  ['zstd', 'zstd', zlib.zstdCompressSync('{}')],
] as const) {
  test(`an answer of a few bytes in ${title} waits for its turn where its decoder outlives a task`, async () => {
    await withGateway(async (gateway) => {
      let finished: Promise<IntakeResult> | undefined
      let isFinished = false
      await withBusyDecoders(gateway, ['shortDecodings'], async () => {
        finished = finish(gateway, { router: '/d/', coding, body }).finally(() => {
          isFinished = true
        })
        await new Promise((resolve) => setTimeout(resolve, 100))
        assert.equal(isFinished, false)
      })
      assert.equal((await finished)?.problem, undefined)
    })
  })

  test(`an answer of usual length in ${title} waits for no long one, also of its router`, async () => {
    await withGateway(async (gateway) => {
      await withBusyDecoders(gateway, ['decodings'], async () => {
        const before = gateway.account.heldBytes
        const { problem, payload } = await finish(gateway, { router: '/a/', coding, body })
        assert.deepEqual([problem, payload.kind], [undefined, 'json'])
        assert.equal(gateway.account.heldBytes, before)
      })
    })
  })
}

for (const [coding, encode] of [
  ['gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
] as const) {
  test(`a small answer in ${coding} (${encode.name}) waits for no other answer`, async () => {
    await withGateway(async (gateway) => {
      await withBusyDecoders(gateway, ['decodings', 'shortDecodings'], async () => {
        const { payload } = await finish(gateway, { router: '/a/', coding, body: encode('{"choices":[]}') })
        assert.ok(payload.kind === 'json')
        assert.equal(payload.bytes.toString(), '{"choices":[]}')
      })
    })
  })
}

test('the answers of many routers are decoded in turns', async () => {
  await withGateway(async (gateway) => {
    const order: string[] = []
    const answer = (router: string) =>
      finish(gateway, { router, coding: 'gzip', body: zlib.gzipSync(BODY) }).then(() => order.push(router))
    await Promise.all(['/a/', '/a/', '/a/', '/a/', '/a/', '/a/', '/b/'].map(answer))
    assert.ok(order.indexOf('/b/') <= 2, order.join())
  })
})

test('an answer in an unknown coding waits for no other answer', async () => {
  await withGateway(async (gateway) => {
    await withBusyDecoders(gateway, ['decodings', 'shortDecodings'], async () => {
      const { problem } = await finish(gateway, { router: '/a/', coding: 'compress', body: Buffer.alloc(20_000) })
      assert.equal(problem, 'undecodable')
    })
  })
})

test('an answer waits for few bombs of many routers', async () => {
  await withGateway(async (gateway) => {
    const order: string[] = []
    const bomb = zlib.brotliCompressSync(Buffer.alloc(64 * MIB), wide)
    const answer = (router: string, coding: string, body: Buffer) =>
      finish(gateway, { router, coding, body }).then(() => order.push(router))
    const bombs = Array.from({ length: 20 }, (_, i) => answer(`/${i}/`, 'br', bomb))
    await Promise.all([...bombs, answer('/neighbour/', 'gzip', zlib.gzipSync(BODY))])
    assert.ok(order.indexOf('/neighbour/') <= 4, order.join())
  })
})
