import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#bodies, docs/reference/record.md#payloads

let scene: Scene

before(async () => {
  scene = await startScene()
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

const NOT_JSON = '400 NOT_JSON'
const MEDIA = '415 UNSUPPORTED_MEDIA_TYPE'
const type = (value: string): readonly string[] => [`Content-Type: ${value}`]
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

type Case = readonly [name: string, method: string, headers: readonly string[], body: Buffer | string, expected: string]

const bodies: readonly Case[] = [
  ['an object', 'POST', type('application/json'), '{"a":1}', '200'],
  ['an object without type', 'POST', [], '{"a":1}', '200'],
  ...['[]', '"text"', '0', '-1.5e300', 'true', 'null', ' \r\n\t{ } \n'].map(
    (text): Case => [`any JSON value: ${JSON.stringify(text)}`, 'POST', [], text, '200'],
  ),
  ['JSON of another type', 'POST', type('text/plain'), '{"a":1}', '200'],
  ['JSON of a form type', 'POST', type('application/x-www-form-urlencoded'), '{"a":1}', '200'],
  ['JSON of a multipart type', 'POST', type('multipart/form-data; boundary=x'), '{"a":1}', '200'],
  ['JSON of an invalid type', 'POST', type(';;;'), '{"a":1}', '200'],
  ['JSON in a DELETE', 'DELETE', [], '{"a":1}', '200'],
  ['escaped lone surrogates', 'POST', [], '{"a":"\\ud800"}', '200'],
  ['repeated and unusual keys', 'POST', [], '{"a":1,"a":2,"__proto__":{"x":1},"constructor":null,"":0}', '200'],
  ['no body in a POST', 'POST', [], '', NOT_JSON],
  ['no body in a PUT', 'PUT', [], '', NOT_JSON],
  ['no body in a PATCH', 'PATCH', type('text/plain'), '', NOT_JSON],
  ['no body in a DELETE', 'DELETE', [], '', '200'],
  ['no body in a QUERY', 'QUERY', [], '', '200'],
  ['white space alone', 'POST', [], ' \n', NOT_JSON],
  ['no JSON, JSON type', 'POST', type('application/json'), '{"a":', NOT_JSON],
  ['no JSON, JSON type with charset', 'POST', type('Application/JSON; charset=utf-8'), '{a:1}', NOT_JSON],
  ['no JSON, +json type', 'POST', type('application/vnd.api+json'), "{'a':1}", NOT_JSON],
  ['no JSON, no type', 'POST', [], 'a=1', NOT_JSON],
  ['no JSON, empty type', 'POST', type(''), 'a=1', NOT_JSON],
  ['no JSON in a GET', 'GET', [], 'a=1', NOT_JSON],
  ['two documents', 'POST', [], '{}{}', NOT_JSON],
  ['a comment', 'POST', [], '{} // no', NOT_JSON],
  ['NaN', 'POST', [], '{"a":NaN}', NOT_JSON],
  ['a raw control character', 'POST', [], '{"a":"\u0001"}', NOT_JSON],
  ['a NUL', 'POST', [], '{}\0', NOT_JSON],
  ['a byte order mark', 'POST', [], '\ufeff{}', NOT_JSON],
  ['UTF-16', 'POST', type('application/json; charset=utf-16'), Buffer.from('{}', 'utf16le'), NOT_JSON],
  ['invalid UTF-8', 'POST', type('application/json'), latin1('{"a":"\xff"}'), NOT_JSON],
  ['overlong UTF-8', 'POST', [], latin1('{"a":"\xc0\xaf"}'), NOT_JSON],
  ['UTF-8 of a surrogate', 'POST', [], latin1('{"a":"\xed\xa0\x80"}'), NOT_JSON],
  ['cut UTF-8', 'POST', [], latin1('{"a":"\xe2\x82'), NOT_JSON],
  ['a form', 'POST', type('application/x-www-form-urlencoded'), 'a=1', MEDIA],
  ['text', 'POST', type('text/plain; charset=utf-8'), 'a', MEDIA],
  ['lines of JSON', 'POST', type('application/jsonl'), '{}\n{}', MEDIA],
  ['a coding', 'POST', ['Content-Encoding: gzip'], '{}', MEDIA],
  ['two codings', 'POST', ['Content-Encoding: identity', 'Content-Encoding: br'], '{}', MEDIA],
  ['a coding without body', 'GET', ['Content-Encoding: gzip'], '', MEDIA],
  ['the coding identity', 'POST', ['Content-Encoding: Identity'], '{}', '200'],
]

for (const [name, method, headers, body, expected] of bodies) {
  test(`${name}: ${expected}`, async () => {
    const answer = await askRaw(scene.gateway.port, '/llm/x', { method, headers, body })
    const [seen] = scene.llm.requests.entries
    if (expected !== '200') {
      assert.equal(`${answer.status} ${JSON.parse(answer.body).error.code}`, expected)
      assert.equal(JSON.parse(answer.body).error.type, 'caller_bad_request')
      assert.equal(seen, undefined)
      const record = await scene.recordOf(answer)
      assert.equal(record.record.error_type, 'caller_bad_request')
      const unread = headers.some((header) => header.startsWith('Content-Encoding'))
      return assert.deepEqual(record.field('request.ingress_payload'), unread ? null : asReceived(Buffer.from(body)))
    }
    assert.equal(answer.status, 200)
    assert.equal(seen?.method, method)
    assert.deepEqual(seen?.body, Buffer.from(body))
    const { text } = await scene.recordOf(answer)
    // In this table's bodies all white space is outside strings.
    if (body !== '') assert.ok(text.includes(`"ingress_payload":${String(body).replace(/\s/g, '')}`), text)
  })
}

/** Returns the record's form of a payload that is not JSON (docs/reference/record.md#payloads). */
function asReceived(bytes: Buffer): unknown {
  if (bytes.length === 0) return null
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString('base64') }
}

test('the error message about a multipart body says multipart', async () => {
  const headers = type('multipart/form-data; boundary=x')
  const body = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
  const answer = await askRaw(scene.gateway.port, '/llm/x', { method: 'POST', headers, body })
  const { error } = JSON.parse(answer.body)
  assert.deepEqual([answer.status, error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  assert.match(error.message, /multipart/)
})

test('a chunked body without a byte is an empty body', async () => {
  using caller = await openRawConnection(scene.gateway.port)
  const head = (method: string) => `${method} /llm/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
  await caller.send(head('POST'))
  assert.match(await caller.waitFor(/"code":"[A-Z_]+"/), /^HTTP\/1\.1 400 .*NOT_JSON/s)
  await caller.send(head('DELETE'))
  await caller.waitFor(/HTTP\/1\.1 200/)
})

test('JSON with a depth of json_depth passes; one level more is 400 NOT_JSON with a record', async () => {
  const nest = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
  for (const depth of [1_001, 20_000]) {
    const answer = await askRaw(scene.gateway.port, '/llm/x', { method: 'POST', body: nest(depth) })
    assert.equal(`${answer.status} ${JSON.parse(answer.body).error.code}`, NOT_JSON)
    assert.match(JSON.parse(answer.body).error.message, /nested too deep/)
    assert.equal((await scene.recordOf(answer)).field('request.ingress_payload'), nest(depth))
  }
  assert.equal(scene.llm.requests.total, 0)
})

test('an answer deeper than json_depth passes and is recorded as text', async () => {
  const deep = `${'[{"a":'.repeat(600)}1${'}]'.repeat(600)}`
  scene.llm.respond(() => ({ kind: 'answer', body: deep }))
  const answer = await askRaw(scene.gateway.port, '/llm/x', { method: 'POST', body: '{}' })
  assert.equal(answer.body, deep)
  assert.equal((await scene.recordOf(answer)).field('response.egress_payload'), deep)
})

for (const depth of [100, 1_000]) {
  test(`hostile JSON, ${depth} deep, passes through echo, to the LLM API and back, and has a record`, async () => {
    const body = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    scene.llm.respond(({ body: sent }) => ({ kind: 'answer', body: sent }))
    for (const text of [body, objects]) {
      for (const url of [`${scene.gateway.url}/echo/`, `${scene.url}/x`]) {
        const answer = await fetch(url, { method: 'POST', body: text })
        assert.equal(answer.status, 200)
        assert.ok(text === (await answer.text()), 'the body came back unchanged')
        const record = await scene.recordOf(answer)
        assert.ok(record.text.includes(`"egress_payload":${text}`))
      }
    }
  })
}

test('hostile names: __proto__ in headers, query and body reach the LLM API and the record as own names', async () => {
  const headers = ['__proto__: h', 'constructor: h']
  const body = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
  const answer = await askRaw(scene.gateway.port, '/llm/x?__proto__=q&__proto__[polluted]=q', {
    method: 'POST',
    headers,
    body,
  })
  assert.equal(answer.status, 200)
  const [seen] = scene.llm.requests.entries
  assert.deepEqual([seen?.header('__proto__'), seen?.header('constructor')], [['h'], ['h']])
  const { text } = await scene.recordOf(answer)
  assert.ok(text.includes('"__proto__":["h"]'))
  assert.ok(text.includes('{"name":"__proto__","details":["q"]}'))
  assert.ok(text.includes(`"outbound_payload":${body}`))
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})
