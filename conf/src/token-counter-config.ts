import { z } from 'zod'
import { integer, positive } from './primitives.ts'
import { programSettings } from './processor-settings.ts'

const tokenField = z.enum(['prompt_tokens', 'completion_tokens', 'total_tokens']).describe('Kind of token.')

const ownSettings = {
  cap_period_seconds: positive.default(120).describe('Seconds of the window in which tokens are counted.'),
  token_caps: z
    .array(
      z.object({
        router: z.string().describe('Path of the router.'),
        fields: z
          .array(
            z.object({
              field: tokenField,
              value: integer(0).describe('Most tokens of this kind in a window. 0: no cap.'),
            }),
          )
          .describe('Caps of the router, by kind of token.'),
      }),
    )
    .default([
      {
        router: '/service/capped/',
        fields: [
          { field: 'prompt_tokens', value: 500 },
          { field: 'completion_tokens', value: 500 },
          { field: 'total_tokens', value: 100 },
        ],
      },
    ])
    .describe('The caps of each router.'),
  usage_fields: z
    .array(
      z.object({
        router: z.string().describe('Path of a router, or `default` for all routers without an entry.'),
        patterns: z
          .array(
            z.object({
              field: tokenField,
              pattern: z
                .string()
                .min(1)
                .describe('Path of the count in the message, such as `inbound_payload.usage.prompt_tokens`.'),
            }),
          )
          .describe('Paths of the counts, one for each kind of token.'),
      }),
    )
    .default([
      {
        router: 'default',
        patterns: [
          { field: 'prompt_tokens', pattern: 'inbound_payload.usage.prompt_tokens' },
          { field: 'completion_tokens', pattern: 'inbound_payload.usage.completion_tokens' },
          { field: 'total_tokens', pattern: 'inbound_payload.usage.total_tokens' },
        ],
      },
    ])
    .describe('Paths of the token counts in an answer, by router.'),
}

/** The settings of tokencounter_config.json beyond those of every processor. A cap of 0 means unlimited. */
export const tokenCounterSettingsSchema = z.object(ownSettings)

/** tokencounter_config.json, the settings of the token counter in the all-in-one. */
export const tokenCounterConfigSchema = z.object({ ...programSettings, ...ownSettings })

export type TokenCounterSettings = z.infer<typeof tokenCounterSettingsSchema>
export type TokenCounterConfig = z.infer<typeof tokenCounterConfigSchema>
