import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#headers-to-the-llm-api

let scene: Scene

before(async () => {
  scene = await startScene()
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
  scene.llm.requests.clear()
})

const ROOM = 59_000
const fillHeader = (item: (index: number) => string, separator: string, room = ROOM): string => {
  const items: string[] = []
  for (let bytes = 0; bytes < room; ) {
    const next = item(items.length)
    items.push(next)
    bytes += next.length + separator.length
  }
  return items.join(separator)
}
const base36 = (index: number): string => index.toString(36)

/** Heads just below header_bytes, each as expensive as its kind allows: the target, then lines. */
const heads: readonly (readonly [name: string, target: string, lines: string])[] = [
  [
    'headers beside a long Connection',
    '/llm/x',
    `Connection: ${','.repeat(ROOM / 2)}\r\n${fillHeader((index) => `x${base36(index)}:`, '\r\n', ROOM / 2)}`,
  ],
  ['a Connection of commas', '/llm/x', `Connection: ${','.repeat(ROOM)}`],
  ['one header, repeated', '/llm/x', fillHeader(() => 'A:', '\r\n')],
  ['Accept-Encoding, repeated', '/llm/x', fillHeader(() => 'Accept-Encoding: *', '\r\n')],
  ['Connection, repeated', '/llm/x', fillHeader(() => 'Connection: x', '\r\n')],
  ['as many names as there is room', '/llm/x', fillHeader((index) => `x${base36(index)}:`, '\r\n')],
  ['one long name', '/llm/x', `${'a-'.repeat(ROOM / 2)}:`],
  ['Accept-Encoding of stars', '/llm/x', `Accept-Encoding: ${'*,'.repeat(ROOM / 2)}`],
  ['Accept-Encoding of parameters', '/llm/x', `Accept-Encoding: *${';'.repeat(ROOM)}`],
  ['Accept-Encoding of spaces', '/llm/x', `Accept-Encoding: gzip${' '.repeat(ROOM)};q=1`],
  ['query parameters', `/llm/x?${fillHeader((index) => base36(index), '&')}`, 'A: b'],
  ['one query parameter, repeated', `/llm/x?${fillHeader(() => 'a', '&')}`, 'A: b'],
  ['query parameters that are masked', `/llm/x?${fillHeader(() => 'key', '&')}`, 'A: b'],
  ['empty query parameters', `/llm/x?${'&'.repeat(ROOM)}`, 'A: b'],
  ['escapes', `/llm/${'%41'.repeat(ROOM / 3)}`, 'A: b'],
  ['escapes in the query', `/llm/x?a=${'%41'.repeat(ROOM / 3)}`, 'A: b'],
  ['broken escapes in the query', `/llm/x?${'=%&'.repeat(ROOM / 3)}`, 'A: b'],
  ['slashes', `/llm/${'/'.repeat(ROOM)}`, 'A: b'],
  ['a Content-Type of semicolons', '/llm/x', `Content-Type: ${';'.repeat(ROOM)}`],
  ['a session of digits', '/llm/x', `Session-Id: A_1_1_${'9'.repeat(ROOM)}`],
]

async function call(target: string, lines: string): Promise<string> {
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`)
  // The LLM API's server accepts fewer headers than the gateway; its 431 is passed on.
  return await caller.waitFor(/\r\n\r\n(.*\}|0\r\n\r\n)$/s)
}

for (const [name, target, lines] of heads) {
  test(`hostile HTTP: a head of 64 KiB costs little: ${name}`, async () => {
    await call('/llm/x', 'A: b')
    let cheapestMs = Number.POSITIVE_INFINITY
    // The smallest cost of three rounds, since a garbage collection may fall into one.
    for (let round = 0; round < 3; round += 1) {
      const before = process.threadCpuUsage()
      assert.match(await call(target, lines), /^HTTP\/1\.1 (200|431) /)
      const { user, system } = process.threadCpuUsage(before)
      cheapestMs = Math.min(cheapestMs, (user + system) / 1000)
    }
    // The cost includes the caller, the LLM API and the reader of records in this process.
    assert.ok(cheapestMs < 100, `${cheapestMs} ms`)
  })
}

test('a hostile Accept-Encoding is sent on shorter, with each coding once', async () => {
  for (const offer of ['*,'.repeat(29_000), 'gzip,'.repeat(11_000), `gzip;q=${'0'.repeat(58_000)}`]) {
    scene.llm.requests.clear()
    await call('/llm/x', `Accept-Encoding: ${offer}`)
    const [out = ''] = scene.llm.requests.entries[0]?.header('accept-encoding') ?? []
    assert.ok(out.length < 200, out.slice(0, 300))
    const names = out.split(', ').map((coding) => coding.split(';')[0])
    assert.equal(new Set(names).size, names.length)
  }
})

test('hostile HTTP: the memory for header names and codings invented by callers is bounded', async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  assert.ok(typeof collect === 'function')
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const made = (index: number): string =>
    `Accept-Encoding: gzip;q=0.${index}${'0'.repeat(20_000)}\r\n${base36(index)}${'n'.repeat(20_000)}: v`
  const { journal } = scene.records
  const recorded = async (count: number): Promise<void> => {
    await journal.waitUntil(() => journal.total >= count)
    scene.llm.requests.clear()
    scene.records.clear()
    // A collection in the task that read the last records would keep their texts.
    await new Promise((resolve) => setImmediate(resolve))
  }
  // The records of earlier tests' calls come after their answers.
  await call('/llm/last', 'A: b')
  await journal.waitUntil((records) => records.some(({ record }) => record.request?.ingress_subpath === 'last'))
  scene.records.clear()
  for (let index = 0; index < 20; index += 1) await call('/llm/x', made(index))
  await recorded(20)
  const before = used()
  for (let index = 20; index < 320; index += 1) await call('/llm/x', made(index))
  await recorded(300)
  const grown = used() - before
  assert.ok(grown < 6_000_000, `${grown} bytes`)
})
