import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Attack, AttackTools, GatewayKind, Router } from './attack.ts'
import { wholeAnswer } from './bodies.ts'

export type Answer = {
  readonly name: string
  readonly rule: string
  readonly body: (tools: AttackTools) => Buffer
  readonly type?: string
  readonly status?: string
  readonly coding?: keyof typeof CODINGS
  /** Number of parallel calls; default 1. */
  readonly calls?: number
  readonly router?: Router
  readonly gateway?: GatewayKind
  readonly spares?: Attack['spares']
  readonly long?: true
}

/** Compression settings. Their cost is irrelevant; only the decoded answer matters. */
const CODINGS = {
  gzip: (body: Buffer) => gzipSync(body, { level: 9 }),
  deflate: (body: Buffer) => deflateSync(body, { level: 9 }),
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (body: Buffer) => zstdCompressSync(body),
}

/** Makes an attack by an LLM API's answer. The answer must still reach its caller. */
export function answerAttack(answer: Answer): Attack {
  const { name, rule, calls = 1, type, status, coding, router = '/hostile/', gateway, spares, long } = answer
  return {
    name,
    rule,
    ...(gateway === undefined ? {} : { gateway }),
    ...(spares === undefined ? {} : { spares }),
    ...(long === undefined ? {} : { long }),
    run: async (tools) => {
      const plain = answer.body(tools)
      const body = coding === undefined ? plain : CODINGS[coding](plain)
      const bytes = wholeAnswer(body, {
        ...(type === undefined ? {} : { type }),
        ...(status === undefined ? {} : { status }),
        ...(coding === undefined ? {} : { coding }),
      })
      const scripted = tools.answer(async ({ write }) => void (await write(bytes)))
      const path = tools.path(router)
      const ask = { port: tools.gateway.port, path, body: '{}', headers: { 'Accept-Encoding': coding ?? 'identity' } }
      const outcomes = await Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
      scripted.end()
      const wanted = Number((status ?? '200').slice(0, 3))
      const wrong = outcomes.filter((outcome) => outcome.status !== wanted || outcome.bytes !== body.length)
      const [first] = wrong
      if (first === undefined) return []
      return [
        `${wrong.length} of ${calls} answers did not pass: ${first.status}, ${first.bytes} of ${body.length} bytes`,
      ]
    },
  }
}
