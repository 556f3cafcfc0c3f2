import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Answer, answerAttack } from '../answer-attack.ts'
import type { Attack, AttackTools } from '../attack.ts'
import {
  answerHead,
  chunked,
  extendedChunks,
  KIB,
  LAST_CHUNK,
  longString,
  MIB,
  nestedArrays,
  nestedObjects,
  numberArray,
  objectWithNames,
  objectWithOneName,
  repeatText,
  shallowObjects,
  singleBytes,
  wholeAnswer,
} from '../bodies.ts'

const JUDGED = 'an answer is scanned in bounded steps and never parsed as a whole'
const BOUNDED = 'decoded and copied bytes of an answer count in the memory account'
const ONE_TURN = 'one turn of the event loop reads no more from many answers than from a single answer'

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
  { name: '16 MiB of numbers', rule: JUDGED, body: ({ sized }) => numberArray(sized(16 * MIB)) },
  { name: 'a million members', rule: JUDGED, body: ({ sized }) => objectWithNames(sized(1_000_000)) },
  {
    name: 'usage a million times',
    rule: JUDGED,
    body: ({ sized }) => objectWithOneName(sized(20 * MIB), '"usage":{"a":1}'),
  },
  {
    name: '60 MiB of escapes in one string',
    rule: JUDGED,
    body: ({ sized }) => longString(sized(60 * MIB), '\\u0041'),
  },
  { name: 'a number of 16 MiB', rule: JUDGED, body: ({ sized }) => repeatText(sized(16 * MIB), '1') },
  { name: '48 MiB of white space', rule: JUDGED, body: ({ sized }) => repeatText(sized(48 * MIB), ' \n') },
  {
    name: 'usage with 8 MiB of nested arrays',
    rule: JUDGED,
    body: ({ sized }) => usageOf(nestedArrays(sized(8 * MIB))),
  },
  {
    name: 'usage with a million members',
    rule: JUDGED,
    body: ({ sized }) => usageOf(objectWithNames(sized(1_000_000))),
  },
  {
    name: 'model with a text of 30 MiB',
    rule: JUDGED,
    body: ({ sized }) => modelOf(longString(sized(30 * MIB), '\\n')),
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
    rule: 'a gateway with a small heap survives',
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
  { name: '90 MiB, more than response_bytes', rule: BOUNDED, body: ({ sized }) => longString(sized(90 * MIB), 'x') },
]

/** A text in some 80 bytes that is too long to be decoded at once. */
const DEFLATED = [1, 2, 3, 4].reduce((body: Buffer) => deflateSync(body), Buffer.alloc(300 * KIB, 'x'))

export const ANSWERS: readonly Attack[] = [
  ...ANSWERED.map(answerAttack),
  {
    name: 'ten answers of 60 MiB held open',
    rule: BOUNDED,
    run: async (tools) => {
      const bytes = Buffer.alloc(tools.sized(60 * MIB), 'a')
      const head = answerHead({ length: bytes.length + 1, type: 'text/plain' })
      let whole = 0
      const scripted = tools.answer(async ({ write }) => {
        await write(head)
        if (await write(bytes)) whole += 1
      })
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}', timeoutMs: 6_000 }
      await Promise.all(Array.from({ length: 10 }, () => tools.call(ask)))
      scripted.end()
      return whole > 0 ? [] : ['no answer left the LLM API']
    },
  },
  {
    name: 'an answer of a million one-byte chunks',
    rule: 'the cost of an answer depends on its bytes, not on the number of its chunks',
    run: (tools) => {
      const body = longString(tools.sized(1_000_000), 'x')
      const bytes = Buffer.concat([Buffer.from(answerHead({})), chunked(singleBytes(body)), Buffer.from(LAST_CHUNK)])
      return allPass(tools, { bytes, length: body.length })
    },
  },
  oneByteChunks('100 answers of 64 KB of one-byte chunks at once'),
  oneByteChunks('100 compressed answers of 64 KB of one-byte chunks at once', 'gzip'),
  atOnce('100 answers with 15,000 headers at once', {
    rule: ONE_TURN,
    bytes: () => wholeAnswer(Buffer.from('{}'), { headers: Array.from({ length: 15_000 }, () => 'A:') }),
    status: 502,
  }),
  atOnce('100 answers with 900 headers of 60 bytes at once', {
    rule: ONE_TURN,
    bytes: () => wholeAnswer(Buffer.from('{}'), { headers: Array.from({ length: 900 }, () => `A: ${'x'.repeat(57)}`) }),
    length: 2,
  }),
  atOnce('100 answers with 15,000 trailers at once', {
    rule: ONE_TURN,
    bytes: () => Buffer.from(`${answerHead({})}2\r\n{}\r\n0\r\n${'X:\r\n'.repeat(15_000)}\r\n`),
    length: 2,
  }),
  atOnce('100 answers behind 50,000 early hints at once', {
    rule: ONE_TURN,
    bytes: () => Buffer.concat([Buffer.from('HTTP/1.1 103 E\r\n\r\n'.repeat(50_000)), wholeAnswer(Buffer.from('{}'))]),
    length: 2,
  }),
  atOnce('200 answers of 1 MiB of NULs at once', {
    rule: BOUNDED,
    calls: 200,
    bytes: () => wholeAnswer(Buffer.alloc(MIB), { type: 'text/plain' }),
    length: MIB,
  }),
  atOnce('100 answers of 3 MiB in chunks of 16 KiB at once', {
    rule: BOUNDED,
    bytes: () => {
      const pieces = Array.from({ length: 192 }, () => Buffer.alloc(16 * KIB, '1'))
      return Buffer.concat([Buffer.from(answerHead({})), chunked(pieces), Buffer.from(LAST_CHUNK)])
    },
    length: 3 * MIB,
  }),
  atOnce('100 answers with 2 MB of chunk extensions at once', {
    rule: ONE_TURN,
    bytes: () => Buffer.concat([Buffer.from(answerHead({})), extendedChunks(125), Buffer.from(LAST_CHUNK)]),
    length: 125,
  }),
  smallBombs('br', (body) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }),
  ),
  smallBombs('zstd', (body) => zstdCompressSync(body, { params: { [constants.ZSTD_c_windowLog]: 23 } })),
  atOnce('1,000 answers of some bytes in deflate four times at once', {
    rule: BOUNDED,
    calls: 1_000,
    bytes: () => wholeAnswer(DEFLATED, { headers: ['Content-Encoding: deflate, deflate, deflate, deflate'] }),
    length: DEFLATED.length,
  }),
  {
    name: 'a coding named a hundred times',
    rule: 'an answer is decoded once or not at all',
    run: (tools) => {
      let body: Buffer = Buffer.alloc(tools.sized(40 * MIB))
      for (let times = 0; times < 3; times += 1) body = gzipSync(body)
      const bytes = wholeAnswer(body, { headers: [`Content-Encoding: ${'gzip, '.repeat(99)}gzip`] })
      return allPass(tools, { bytes, length: body.length })
    },
  },
  {
    name: 'gzip that ends in the middle, 40 times',
    rule: 'a broken coding affects only the record of its own call',
    run: (tools) => {
      const body = gzipSync(shallowObjects(tools.sized(8 * MIB))).subarray(0, -10)
      return allPass(tools, { bytes: wholeAnswer(body, { coding: 'gzip' }), length: body.length, calls: 40 })
    },
  },
]

function usageOf(json: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"choices":[],"usage":'), json, Buffer.from('}')])
}

function modelOf(json: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"choices":[],"model":'), json, Buffer.from('}')])
}

type Together = {
  readonly rule: string
  readonly calls?: number
  readonly coding?: 'gzip' | 'br' | 'zstd'
  /** The raw bytes of each answer, and the size of the body that callers must get. */
  readonly bytes: (tools: AttackTools) => Buffer
  /** The bytes that arrive; unchecked by default. */
  readonly length?: number
  /** 200 by default. */
  readonly status?: number
}

/** Makes an attack by many answers that begin together, once the last call has arrived. */
function atOnce(name: string, { rule, calls: most = 100, coding, bytes, length, status = 200 }: Together): Attack {
  return {
    name,
    rule,
    run: async (tools) => {
      const calls = tools.sized(most)
      const answer = bytes(tools)
      const waiting: (() => void)[] = []
      const scripted = tools.answer(async ({ write }) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length === calls) for (const begin of waiting) begin()
        })
        await write(answer)
      })
      const headers = { 'Accept-Encoding': coding ?? 'identity' }
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}', headers, timeoutMs: 20_000 }
      const outcomes = await Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
      scripted.end()
      const wrong = outcomes.find((outcome) => outcome.status !== status || outcome.bytes !== (length ?? outcome.bytes))
      return wrong === undefined ? [] : [`an answer got ${wrong.status} and ${wrong.bytes} bytes`]
    },
  }
}

function oneByteChunks(name: string, coding?: 'gzip'): Attack {
  const body = longString(10_500, 'x')
  const head = answerHead(coding === undefined ? {} : { coding })
  return atOnce(name, {
    rule: ONE_TURN,
    bytes: () => Buffer.concat([Buffer.from(head), chunked(singleBytes(body)), Buffer.from(LAST_CHUNK)]),
    length: body.length,
    ...(coding === undefined ? {} : { coding }),
  })
}

/** Makes an attack by answers of some bytes whose decoders take 8 or 16 MiB each. */
function smallBombs(coding: 'br' | 'zstd', compress: (body: Buffer) => Buffer): Attack {
  const body = compress(Buffer.alloc(30 * MIB))
  return atOnce(`100 ${coding} bombs of ${body.length} bytes at once`, {
    rule: 'decoders with large windows run one after another',
    coding,
    bytes: () => wholeAnswer(body, { coding }),
    length: body.length,
  })
}

/** The raw bytes of an answer, and the size of the body that callers must get. */
type PassingAnswer = { readonly bytes: Buffer; readonly length: number; readonly calls?: number }

async function allPass(tools: AttackTools, { bytes, length, calls = 1 }: PassingAnswer): Promise<readonly string[]> {
  const scripted = tools.answer(async ({ write }) => void (await write(bytes)))
  const headers = { 'Accept-Encoding': 'gzip' }
  const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}', headers }
  const outcomes = await Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
  scripted.end()
  const wrong = outcomes.find((outcome) => outcome.status !== 200 || outcome.bytes !== length)
  return wrong === undefined ? [] : [`an answer did not pass: ${wrong.status}, ${wrong.bytes} of ${length} bytes`]
}
