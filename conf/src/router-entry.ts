import { z } from 'zod'
import { isObject } from './json-object.ts'
import type { FilledParameter } from './outbound-address.ts'
import { boolean } from './primitives.ts'
import type { ShownPath } from './shown-path.ts'

/**
 * Header name → values. The schema is a predicate, since `z.record` would drop a header called `__proto__` without
 * checking it.
 */
const headersSchema = z.custom<Readonly<Record<string, readonly string[]>>>(isHeaders).meta({
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
})

function isHeaders(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isTexts)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/**
 * The form of a router's entry; checkRouter checks the values field by field
 * (docs/reference/configuration-rules.md#routers-in-the-file).
 */
export const routerEntrySchema = z.object({
  path: z
    .string()
    .describe(
      'Beginning of the paths of the router’s calls: `/name/`. Where several routers fit, the longest path wins.',
    ),
  disabled: boolean
    .default(false)
    .describe('`true`: callers get 404. Such an entry needs only `path`; its other fields are not read.'),
  internal: boolean
    .default(false)
    .describe('`true`: only a re-route by a processor reaches the router. Callers get 404.'),
  ingress: z
    .object({
      headers: headersSchema
        .default({})
        .describe(
          'Headers that a request must have, with the same values in the same order. `["regex:.+"]`: any value that is not empty.',
        ),
    })
    .prefault({}),
  outbound: z
    .object({
      url: z
        .string()
        .default('')
        .describe('Address of the LLM API, http or https. Required unless the router is disabled.'),
      endpoint: z.string().default('').describe('Path and query that replace the rest of the caller’s path.'),
      headers: headersSchema
        .default({})
        .describe(
          'Headers that the gateway sends to the LLM API. They replace headers of the caller with the same name.',
        ),
    })
    .prefault({}),
})

export type RouterHeader = {
  /** The name as written. */
  readonly name: string
  readonly values: readonly string[]
  /** True where a value contains a reference; the header is then masked everywhere. */
  readonly secret: boolean
}

export type ActiveRouter = {
  readonly kind: 'active'
  readonly index: number
  readonly path: string
  readonly internal: boolean
  readonly ingressHeaders: readonly RouterHeader[]
  readonly outbound: {
    readonly url: string
    readonly endpoint: string
    readonly headers: readonly RouterHeader[]
    /** Query parameters of url and endpoint whose configured text contains a reference: masked. */
    readonly filledParameters: readonly FilledParameter[]
    /** The shown path of url in segments; undefined where it is shown unchanged. */
    readonly shownUrlPath: ShownPath | undefined
    /** The shown path of the endpoint, in the same form. */
    readonly shownEndpointPath: ShownPath | undefined
  }
  /** The SHA-256 in hex of the entry as written (docs/reference/configuration-rules.md#status). */
  readonly entryHash: string
}

/**
 * A rejected or disabled router keeps its path: its callers get 404 and never reach a router with a shorter path
 * (docs/reference/configuration-rules.md#rejection).
 */
export type InactiveRouter = {
  readonly kind: 'rejected' | 'disabled'
  readonly index: number
  readonly path: string
  readonly entryHash: string
}
export type CheckedRouter = ActiveRouter | InactiveRouter
