import { gzipSync } from 'node:zlib'
import { type Answer, answerAttack } from '../answer-attack.ts'
import type { Attack, Place } from '../attack.ts'
import {
  answerHead,
  chunked,
  filled,
  LAST_CHUNK,
  MIB,
  members,
  nestedArrays,
  nestedObjects,
  numbers,
  oneString,
  sameMember,
  shallowObjects,
  singleBytes,
  wholeAnswer,
} from '../bodies.ts'

const JUDGED = 'an answer is judged in bounded steps, never parsed whole'
const BOUNDED = 'what an answer becomes counts as its bytes do'

const ANSWERED: readonly Answer[] = [
  { name: '8 MiB of nested arrays', rule: JUDGED, body: ({ sized }) => nestedArrays(sized(8 * MIB)) },
  { name: '48 MiB of nested arrays', rule: JUDGED, body: ({ sized }) => nestedArrays(sized(48 * MIB)) },
  { name: '8 MiB of nested objects', rule: JUDGED, body: ({ sized }) => nestedObjects(sized(8 * MIB)) },
  {
    name: 'gzip of 8 MiB of [{},…]',
    rule: JUDGED,
    coding: 'gzip',
    body: ({ sized }) => shallowObjects(sized(8 * MIB)),
  },
  {
    name: 'deflate of 8 MiB of [{},…]',
    rule: JUDGED,
    coding: 'deflate',
    body: ({ sized }) => shallowObjects(sized(8 * MIB)),
  },
  { name: 'br of 8 MiB of [{},…]', rule: JUDGED, coding: 'br', body: ({ sized }) => shallowObjects(sized(8 * MIB)) },
  {
    name: 'zstd of 8 MiB of [{},…]',
    rule: JUDGED,
    coding: 'zstd',
    body: ({ sized }) => shallowObjects(sized(8 * MIB)),
  },
  { name: '16 MiB of numbers', rule: JUDGED, body: ({ sized }) => numbers(sized(16 * MIB)) },
  { name: 'a million members', rule: JUDGED, body: ({ sized }) => members(sized(1_000_000)) },
  { name: 'usage a million times', rule: JUDGED, body: ({ sized }) => sameMember(sized(20 * MIB), '"usage":{"a":1}') },
  { name: '60 MiB of escapes in one string', rule: JUDGED, body: ({ sized }) => oneString(sized(60 * MIB), '\\u0041') },
  { name: 'a number of 16 MiB', rule: JUDGED, body: ({ sized }) => filled(sized(16 * MIB), '1') },
  { name: '48 MiB of white space', rule: JUDGED, body: ({ sized }) => filled(sized(48 * MIB), ' \n') },
  {
    name: 'usage with 8 MiB of nested arrays',
    rule: JUDGED,
    body: ({ sized }) => usageOf(nestedArrays(sized(8 * MIB))),
  },
  { name: 'usage with a million members', rule: JUDGED, body: ({ sized }) => usageOf(members(sized(1_000_000))) },
  {
    name: 'model with a text of 30 MiB',
    rule: JUDGED,
    body: ({ sized }) => modelOf(oneString(sized(30 * MIB), '\\n')),
  },
  {
    name: '500 with 8 MiB of [{},…]',
    rule: JUDGED,
    status: '500 Oh',
    body: ({ sized }) => shallowObjects(sized(8 * MIB)),
  },
  { name: '32 MiB that are not UTF-8', rule: JUDGED, body: ({ sized }) => Buffer.alloc(sized(32 * MIB), 0xff) },
  {
    name: '40 MiB of [{},…] by gzip',
    rule: 'a small heap ends nothing',
    gateway: 'small heap',
    coding: 'gzip',
    body: ({ sized }) => shallowObjects(sized(40 * MIB)),
  },
  {
    name: '12 gzip bombs at once',
    rule: BOUNDED,
    coding: 'gzip',
    calls: 12,
    body: ({ sized }) => Buffer.alloc(sized(60 * MIB)),
  },
  {
    name: '8 answers of 48 MiB of nested arrays at once',
    rule: BOUNDED,
    calls: 8,
    long: true,
    body: ({ sized }) => nestedArrays(sized(48 * MIB)),
  },
  {
    name: 'gzip of 200 MiB of zeros',
    rule: BOUNDED,
    coding: 'gzip',
    body: ({ sized }) => Buffer.alloc(sized(200 * MIB)),
  },
  { name: '90 MiB, more than response_bytes', rule: BOUNDED, body: ({ sized }) => oneString(sized(90 * MIB), 'x') },
]

export const ANSWERS: readonly Attack[] = [
  ...ANSWERED.map(answerAttack),
  {
    name: 'ten answers of 60 MiB held open',
    rule: BOUNDED,
    run: async (place) => {
      const bytes = Buffer.alloc(place.sized(60 * MIB), 'a')
      const head = answerHead({ length: bytes.length + 1, type: 'text/plain' })
      let whole = 0
      const scripted = place.answer(async ({ write }) => {
        await write(head)
        if (await write(bytes)) whole += 1
      })
      const ask = { port: place.gateway.port, path: place.path('/hostile/'), body: '{}', timeoutMs: 6_000 }
      await Promise.all(Array.from({ length: 10 }, () => place.ask(ask)))
      scripted.end()
      return whole > 0 ? [] : ['no answer left the LLM API']
    },
  },
  {
    name: 'an answer of a million one-byte chunks',
    rule: 'a chunk costs no more than its bytes, whoever sends it',
    run: (place) => {
      const body = oneString(place.sized(1_000_000), 'x')
      const bytes = Buffer.concat([Buffer.from(answerHead({})), chunked(singleBytes(body)), Buffer.from(LAST_CHUNK)])
      return allPass(place, { bytes, length: body.length })
    },
  },
  {
    name: '100 answers of 64 KB of one-byte chunks at once',
    rule: 'one turn takes no more of many answers than of one',
    run: async (place) => {
      const calls = place.sized(100)
      const body = oneString(10_500, 'x')
      const segment = Buffer.concat([Buffer.from(answerHead({})), chunked(singleBytes(body)), Buffer.from(LAST_CHUNK)])
      const waiting: (() => void)[] = []
      const scripted = place.answer(async ({ write }) => {
        // The answers begin together, once the last call has arrived.
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length === calls) for (const begin of waiting) begin()
        })
        await write(segment)
      })
      const ask = { port: place.gateway.port, path: place.path('/hostile/'), body: '{}', timeoutMs: 20_000 }
      const outcomes = await Promise.all(Array.from({ length: calls }, () => place.ask(ask)))
      scripted.end()
      const wrong = outcomes.find((outcome) => outcome.status !== 200 || outcome.bytes !== body.length)
      return wrong === undefined
        ? []
        : [`an answer did not pass: ${wrong.status}, ${wrong.bytes} of ${body.length} bytes`]
    },
  },
  {
    name: 'a coding named a hundred times',
    rule: 'an answer is decoded once or not at all',
    run: (place) => {
      let body: Buffer = Buffer.alloc(place.sized(40 * MIB))
      for (let times = 0; times < 3; times += 1) body = gzipSync(body)
      const bytes = wholeAnswer(body, { headers: [`Content-Encoding: ${'gzip, '.repeat(99)}gzip`] })
      return allPass(place, { bytes, length: body.length })
    },
  },
  {
    name: 'gzip that ends in the middle, 40 times',
    rule: 'a broken coding costs its own record alone',
    run: (place) => {
      const body = gzipSync(shallowObjects(place.sized(8 * MIB))).subarray(0, -10)
      return allPass(place, { bytes: wholeAnswer(body, { coding: 'gzip' }), length: body.length, calls: 40 })
    },
  },
]

function usageOf(json: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"choices":[],"usage":'), json, Buffer.from('}')])
}

function modelOf(json: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"choices":[],"model":'), json, Buffer.from('}')])
}

/** The raw bytes of an answer, and the size of the body that callers must get. */
type Passing = { readonly bytes: Buffer; readonly length: number; readonly calls?: number }

async function allPass(place: Place, { bytes, length, calls = 1 }: Passing): Promise<readonly string[]> {
  const scripted = place.answer(async ({ write }) => void (await write(bytes)))
  const headers = { 'Accept-Encoding': 'gzip' }
  const ask = { port: place.gateway.port, path: place.path('/hostile/'), body: '{}', headers }
  const outcomes = await Promise.all(Array.from({ length: calls }, () => place.ask(ask)))
  scripted.end()
  const wrong = outcomes.find((outcome) => outcome.status !== 200 || outcome.bytes !== length)
  return wrong === undefined ? [] : [`an answer did not pass: ${wrong.status}, ${wrong.bytes} of ${length} bytes`]
}
