import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { metricUntil, readMetric } from '../../fake/metric.ts'
import { openRawConnection, rawExchange } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-of-callers

let scene: Scene

before(async () => {
  scene = await startScene({ admin: true })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
  scene.llm.requests.clear()
})

const SMUGGLED = 'GET /llm/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const post = (headers: readonly string[], body: string) =>
  `POST /llm/first HTTP/1.1\r\nHost: a\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`

/** Requests that are refused completely: one 400, a closed connection, and no byte reaches the LLM API. */
const refused: readonly (readonly [name: string, bytes: string])[] = [
  ['length and coding', post(['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${SMUGGLED}`)],
  ['coding and length', post(['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${SMUGGLED}`)],
  ['two lengths that differ', post(['Content-Length: 2', 'Content-Length: 40'], `{}${SMUGGLED}`)],
  ['two lengths that are equal', post(['Content-Length: 2', 'Content-Length: 2'], `{}${SMUGGLED}`)],
  ['a list of lengths', post(['Content-Length: 2, 2'], `{}${SMUGGLED}`)],
  ['a signed length', post(['Content-Length: +2'], `{}${SMUGGLED}`)],
  ['a hexadecimal length', post(['Content-Length: 0x2'], `{}${SMUGGLED}`)],
  ['a length beyond 64 bits', post(['Content-Length: 18446744073709551618'], `{}${SMUGGLED}`)],
  ['an empty length', post(['Content-Length:'], SMUGGLED)],
  ['an unknown coding', post(['Transfer-Encoding: xchunked'], chunked('{}'))],
  ['chunked before another coding', post(['Transfer-Encoding: chunked, identity'], chunked('{}'))],
  ['chunked and another line', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: cow'], chunked('{}'))],
  ['a space before the colon', post(['Transfer-Encoding : chunked'], chunked('{}'))],
  ['a vertical tab in the coding', post(['Transfer-Encoding: \x0bchunked'], chunked('{}'))],
  ['a NUL in a header', post(['X-A: b\0c', 'Content-Length: 2'], '{}')],
  ['a continued header line', post(['X-A: b', ' Transfer-Encoding: chunked', 'Content-Length: 2'], '{}')],
  ['a header line without a colon', post(['X-A', 'Content-Length: 2'], '{}')],
  ['bare LF in the head', 'POST /llm/first HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}'],
  ['bare CR in a header', post(['X-A: b\rX-B: c', 'Content-Length: 2'], '{}')],
  ['bare LF after a chunk size', post(['Transfer-Encoding: chunked'], '2\n{}\r\n0\r\n\r\n')],
  ['bare LF in a chunk extension', post(['Transfer-Encoding: chunked'], '2;a\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', post(['Transfer-Encoding: chunked'], '2\r\n{}  \r\n0\r\n\r\n')],
  ['an invalid chunk size', post(['Transfer-Encoding: chunked'], '0x2\r\n{}\r\n0\r\n\r\n')],
  ['a negative chunk size', post(['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n')],
  ['chunk extensions without end', post(['Transfer-Encoding: chunked'], `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['no Host', 'POST /llm/first HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}'],
  ['two Hosts', post(['Host: b', 'Connection: close', 'Content-Length: 2'], '{}')],
  ['another version', 'GET /llm/first HTTP/7.3\r\nHost: a\r\n\r\n'],
  ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', 'FIRST /llm/first HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['raw UTF-8 in the target', 'GET /llm/é HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['RTSP', 'PLAY /llm/first RTSP/1.1\r\nHost: a\r\n\r\n'],
  ['RTSP with a body', `SETUP /llm/first RTSP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
  ['RTSP in chunks', `RECORD /llm/first RTSP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunked('{}')}${SMUGGLED}`],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
]

for (const [name, bytes] of refused) {
  test(`hostile HTTP: ${name} is 400 with a session id, once, and nothing is smuggled`, async () => {
    const { text, ended } = await rawExchange(scene.gateway.port, Buffer.from(bytes, 'latin1'))
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(text, /\r\nSession-Id: GATEWAY1_\d+_\d+_0\r\n/)
    assert.match(text, /\r\nConnection: close\r\n/)
    const message = '"message":"The request is not valid HTTP.","type":"caller_bad_request","code":"BAD_PATH"'
    assert.ok(text.endsWith(`\r\n\r\n{"error":{${message}}}`), text)
    assert.notEqual(ended, 'timeout')
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
    assert.equal(scene.llm.requests.entries.filter(({ complete }) => complete).length, 0)
  })
}

/** Correct framing with a coding that the gateway doesn't decode; without `chunked` the parser answers 400. */
const encoded: readonly (readonly [codings: readonly string[], status: string])[] = [
  [['gzip, chunked'], '415 UNSUPPORTED_MEDIA_TYPE'],
  [['GZip , Chunked'], '415 UNSUPPORTED_MEDIA_TYPE'],
  [['identity, chunked'], '415 UNSUPPORTED_MEDIA_TYPE'],
  [['gzip', 'chunked'], '415 UNSUPPORTED_MEDIA_TYPE'],
  [['gzip, br,, chunked'], '415 UNSUPPORTED_MEDIA_TYPE'],
  [['gzip'], '400 BAD_PATH'],
  [['chunked, gzip'], '400 BAD_PATH'],
]

for (const [codings, expected] of encoded) {
  test(`Transfer-Encoding: ${codings.join(' and ')} is ${expected}, and the connection closes`, async () => {
    const lines = codings.map((coding) => `Transfer-Encoding: ${coding}`)
    const { text, ended } = await rawExchange(scene.gateway.port, post(lines, `${chunked('{}')}${SMUGGLED}`))
    const [, status, code] = /^HTTP\/1\.1 (\d+) .*"code":"([A-Z_]+)"/s.exec(text) ?? []
    assert.equal(`${status} ${code}`, expected)
    assert.match(text, /\r\nConnection: close\r\n/)
    assert.notEqual(ended, 'timeout')
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
    assert.equal(scene.llm.requests.total, 0)
  })
}

test('hostile HTTP: a well-framed request is one request, sent on with a Content-Length alone', async () => {
  const extension = post(
    ['Transfer-Encoding: chunked'],
    `2;a=b;c="d"\r\n{}\r\n0;x\r\nX-Trailer: ${SMUGGLED.length}\r\n\r\n`,
  )
  const body = JSON.stringify(SMUGGLED)
  const inBody = post([`Content-Length: ${body.length}`], body)
  const old = `POST /llm/first HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`
  for (const bytes of [extension, inBody, old]) {
    scene.llm.requests.clear()
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(bytes)
    await caller.waitFor(/HTTP\/1\.1 200/)
    const [seen] = await scene.llm.requests.waitForCount(1)
    assert.equal(seen?.url, '/first')
    assert.deepEqual(seen?.header('transfer-encoding'), [])
    assert.deepEqual(seen?.header('content-length'), [String(seen?.body.length)])
    assert.deepEqual(seen?.header('x-trailer'), [])
  }
})

for (const how of ['whole', 'streamed']) {
  test(`hostile HTTP: header values can’t become header lines, and keep their bytes in both directions: ${how}`, async () => {
    const value = 'a%0d%0aX-Injected: 1\\r\\nX-Injected: 2 \xe9\x85\x8d\x8a;"\t!'
    const gate = Promise.withResolvers<void>()
    scene.llm.respond((seen) => {
      const head = `HTTP/1.1 200 OK\r\nX-Back: ${seen.header('x-value')[0]}\r\nContent-Length: 2\r\n\r\n`
      const bytes = async function* () {
        yield Buffer.from(head, 'latin1')
        await gate.promise
        yield '{}'
      }
      return { kind: 'raw', bytes: how === 'whole' ? Buffer.from(`${head}{}`, 'latin1') : bytes() }
    })
    using caller = await openRawConnection(scene.gateway.port)
    const head = `GET /llm/x HTTP/1.1\r\nHost: a\r\nX-Value: ${value}\r\nSession-Id: a%0d%0ab\r\n\r\n`
    await caller.send(Buffer.from(head, 'latin1'))
    await caller.waitFor(/\r\n\r\n/)
    gate.resolve()
    const text = await caller.waitFor(/\{\}$/)
    const [seen] = scene.llm.requests.entries
    assert.deepEqual([seen?.header('x-value'), seen?.header('x-injected')], [[value], []])
    assert.equal(/\r\nX-Back: (.*)\r\n/.exec(text)?.[1], value)
    assert.doesNotMatch(text, /\r\nX-Injected/)
  })
}

test('hostile HTTP: garbage behind a request gets a 400 of its own after the answer, then the connection ends', async () => {
  const gate = Promise.withResolvers<void>()
  scene.llm.respond(async () => {
    await gate.promise
    return { kind: 'answer', body: '{}' }
  })
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(`${post(['Content-Length: 2'], '{}')}GARBAGE\r\n\r\n${SMUGGLED}`)
  await scene.llm.requests.waitForCount(1)
  gate.resolve()
  await caller.waitFor(/\{\}/)
  // The connection may have ended already.
  await caller.send(SMUGGLED).catch(() => undefined)
  const { text } = await caller.ended()
  assert.match(text, /^HTTP\/1\.1 200[^{]*\{\}HTTP\/1\.1 400/)
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
  assert.equal(scene.llm.requests.total, 1)
})

test('hostile HTTP: garbage that a caller sends during a streamed answer does not change the answer', async () => {
  const gate = Promise.withResolvers<void>()
  scene.llm.respond(() => ({
    kind: 'answer',
    body: (async function* () {
      yield 'first'
      await gate.promise
      yield 'second'
    })(),
  }))
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(post(['Content-Length: 2'], '{}'))
  await caller.waitFor(/first/)
  await caller.send('GARBAGE\r\n\r\n')
  gate.resolve()
  const { text } = await caller.ended()
  assert.match(text, /\r\n\r\n5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/)
})

test('hostile HTTP: pipelined requests are answered each with its own answer, in their order', async () => {
  scene.llm.respond(({ url }) => ({ kind: 'answer', body: JSON.stringify(url) }))
  using caller = await openRawConnection(scene.gateway.port)
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  const requests = numbers.map(
    (number) => `GET /llm/${number} HTTP/1.1\r\nHost: a\r\nSession-Id: A_1_1_${number}\r\n\r\n`,
  )
  await caller.send(requests.join(''))
  const text = await caller.waitFor(/"\/19"/)
  assert.deepEqual(
    [...text.matchAll(/"\/(\d+)"/g)].map(([, number]) => Number(number)),
    numbers,
  )
  const ids = [...text.matchAll(/Session-Id: A_1_1_(\d+)/g)].map(([, number]) => Number(number) - 1)
  assert.deepEqual(ids, numbers)
})

/** The parser fails after the transaction has begun: one answer with an id, one record, one count. */
const brokenBodies: readonly (readonly [name: string, rest: string, status: number, code: string])[] = [
  ['an invalid chunk size', 'ZZ\r\n', 400, 'BAD_PATH'],
  ['an invalid second chunk size', '2\r\n{}\r\n2 \r\n', 400, 'BAD_PATH'],
  ['a chunk longer than its size', '2\r\n{}  \r\n0\r\n\r\n', 400, 'BAD_PATH'],
  ['trailers that are too large', `2\r\n{}\r\n0\r\nX-A: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
]

let sessions = 100
const requests = (labels: Readonly<Record<string, string>>) =>
  readMetric(scene.gateway, 'llm_gateway_requests_total', labels)

for (const [name, rest, status, code] of brokenBodies) {
  for (const pieces of ['at once', 'after the head']) {
    test(`hostile HTTP: a body that breaks (${name}, ${pieces}) gets one ${status}, one id and one record, and is counted once`, async () => {
      const labels = { router: '/llm/', status: String(status), error_type: 'caller_bad_request' }
      const [none, own] = [await requests({ router: 'none' }), await requests(labels)]
      sessions += 1
      const session = `A_1_${sessions}_`
      using caller = await openRawConnection(scene.gateway.port)
      const head = post(['Transfer-Encoding: chunked', `Session-Id: ${session}7`, 'Expect: 100-continue'], '')
      await caller.send(pieces === 'at once' ? head + rest : head)
      if (pieces !== 'at once') {
        await caller.waitFor(/100 Continue\r\n\r\n/)
        await caller.send(rest)
      }
      const { text, ended } = await caller.ended()
      const [answer = ''] = text.split('HTTP/1.1 100 Continue\r\n\r\n').slice(-1)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*\r\nSession-Id: ${session}8\r\n.*"code":"${code}"`, 's'))
      assert.match(answer, /\r\nConnection: close\r\n/)
      assert.equal(answer.includes('"message":"The request is not valid HTTP."'), code === 'BAD_PATH')
      assert.notEqual(ended, 'timeout')
      assert.equal(
        await metricUntil(
          () => requests(labels),
          (value) => value > own,
        ),
        own + 1,
      )
      const record = await scene.records.waitFor((seen) => seen.record.transaction_id === `${session}8`)
      assert.equal(record.field('response.egress_status_code'), status)
      assert.equal(record.record.error_type, 'caller_bad_request')
      assert.equal(record.field('response.egress_payload.error.code'), code)
      assert.equal(await requests({ router: 'none' }), none)
      assert.equal(scene.llm.requests.total, 0)
    })
  }
}

test('hostile HTTP: a body that breaks behind a call: the call has its answer, then the body its 400', async () => {
  const gate = Promise.withResolvers<void>()
  scene.llm.respond(async () => {
    await gate.promise
    return { kind: 'answer', body: '{}' }
  })
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(post(['Content-Length: 2', 'Session-Id: A_1_3_0'], '{}'))
  await scene.llm.requests.waitForCount(1)
  await caller.send(post(['Transfer-Encoding: chunked', 'Session-Id: A_1_4_0'], 'ZZ\r\n'))
  gate.resolve()
  const broken = await scene.records.waitFor(({ record }) => record.transaction_id === 'A_1_4_1')
  assert.equal(broken.field('response.egress_status_code'), 400)
  const { text } = await caller.ended()
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+|Session-Id: \S+/g), [
    'HTTP/1.1 200',
    'Session-Id: A_1_3_1',
    'HTTP/1.1 400',
    'Session-Id: A_1_4_1',
  ])
})

test('hostile HTTP: a caller that closes in the middle of its body is recorded as 499 and counted once', async () => {
  const [none, gone] = [await requests({ router: 'none' }), await requests({ status: '499' })]
  using caller = await openRawConnection(scene.gateway.port, { allowHalfOpen: true })
  await caller.send(post(['Content-Length: 20', 'Session-Id: A_1_5_0'], '{'))
  caller.socket.end()
  assert.equal((await caller.ended()).text, '')
  const record = await scene.records.waitFor((seen) => seen.record.transaction_id === 'A_1_5_1')
  assert.equal(record.field('response.egress_status_code'), 499)
  assert.equal(
    await metricUntil(
      () => requests({ status: '499' }),
      (value) => value > gone,
    ),
    gone + 1,
  )
  assert.equal(await requests({ router: 'none' }), none)
})
