import { type TokenCounterSettings, tokenCounterSettingsSchema } from '@llm-gateway/conf/token-counter'
import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { createCaps, usedTokensInMemory } from './caps.ts'
import { createEstimator } from './estimator.ts'
import { createTokenCounter } from './token-counter.ts'
import { compileUsage } from './usage.ts'

/** The processor that counts tokens and answers 429 over a cap; `now` gives milliseconds since the epoch. */
export function tokenCounter(version: string, now: () => number = Date.now): ProcessorDefinition<TokenCounterSettings> {
  return {
    name: 'tokencounter',
    version,
    settings: tokenCounterSettingsSchema,
    create: ({ token_caps, cap_period_seconds, usage_fields }, { logger }) => {
      const estimator = createEstimator()
      const usedTokens = usedTokensInMemory()
      const answer = createTokenCounter({
        caps: createCaps({ tokenCaps: token_caps, periodSeconds: cap_period_seconds, usedTokens }),
        readUsage: compileUsage(usage_fields),
        estimate: estimator.estimate,
        logger,
        now,
      })
      return { answer, close: estimator.close }
    },
  }
}
