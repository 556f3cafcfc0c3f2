import { randomUUID } from 'node:crypto'
import { type TokenCounterSettings, tokenCounterSettingsSchema } from '@llm-gateway/conf/token-counter'
import { DEFAULT_BUS_PREFIX } from '@llm-gateway/protocol'
import type { ProcessorContext, ProcessorDefinition } from '@llm-gateway/sdk'
import { createCaps, usedTokensInMemory } from './caps.ts'
import { createEstimator } from './estimator.ts'
import { SharedTokens } from './shared-tokens.ts'
import { createConclusion, createTokenCounter, type TokenCounterOptions } from './token-counter.ts'
import { compileUsage } from './usage.ts'

/** Defines the processor that counts tokens and answers 429 over a cap; `now` gives milliseconds since the epoch. */
export function tokenCounter(version: string, now: () => number = Date.now): ProcessorDefinition<TokenCounterSettings> {
  return {
    name: 'tokencounter',
    version,
    settings: tokenCounterSettingsSchema,
    // Used tokens count even when their message comes late.
    limits: { takesLate: true },
    create: (settings, context) => {
      const estimator = createEstimator({ logger: context.logger })
      const shared = sharedTokens(settings, context, now)
      const options: TokenCounterOptions = {
        caps: createCaps({
          tokenCaps: settings.token_caps,
          periodSeconds: settings.cap_period_seconds,
          usedTokens: shared ?? usedTokensInMemory(),
        }),
        readUsage: compileUsage(settings.usage_fields),
        estimate: estimator.estimate,
        logger: context.logger,
        now,
      }
      const close = async (): Promise<void> => {
        await estimator.close()
        await shared?.close()
      }
      const program = new URL('./message-thread.ts', import.meta.url)
      return {
        answer: createTokenCounter(options),
        large: { program, data: settings.usage_fields, conclude: createConclusion(options) },
        close,
      }
    },
  }
}

/**
 * A key takes some 100 bytes, its counts as many. So the bucket has room for thousands of keys, one for each replica,
 * router and window.
 */
const BUCKET_BYTES = 4 * 1024 * 1024
/** A replica whose clock is behind may still need the window that just ended. */
const WINDOWS_KEPT = 2
/** The store counts a value's age in nanoseconds, at most 292 years. */
const MAX_KEPT_MS = 10 * 365 * 86_400_000

/** Makes the count that replicas share; undefined when no router has a cap. */
function sharedTokens(
  { token_caps, cap_period_seconds: periodSeconds }: TokenCounterSettings,
  { keyValue, environment, logger }: ProcessorContext,
  now: () => number,
): SharedTokens | undefined {
  const capped = token_caps.filter(({ fields }) => fields.some(({ value }) => value > 0))
  if (capped.length === 0) return undefined
  const prefix = (environment.BUS_PREFIX || DEFAULT_BUS_PREFIX).replaceAll('.', '_')
  const store = keyValue({
    // Other period lengths make other windows, and a bucket keeps the age limit that it was made with.
    bucket: `${prefix}_tokencounter_${periodSeconds}`,
    maxBytes: BUCKET_BYTES,
    storage: 'file',
    ttlMs: Math.min(WINDOWS_KEPT * periodSeconds * 1_000, MAX_KEPT_MS),
  })
  const routers = new Set(capped.map(({ router }) => router))
  return new SharedTokens({ keyValue: store, replica: randomUUID(), periodSeconds, routers, logger, now })
}
