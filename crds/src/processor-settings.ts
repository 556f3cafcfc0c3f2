import { z } from 'zod'
import {
  atomicList,
  cel,
  HEADER_NAMES,
  headerName,
  mapList,
  referenceOnly,
  SHORT_KEYS,
  setList,
  text,
} from './primitives.ts'
import { NO_DOT_SEGMENT, pathList, pathOrDefault, routerPath } from './router-path.ts'

/*
 * The settings of each shipped processor, in its README's words and camel case. A setting that is left out isn't
 * written into its file, so the program's default holds. `${NAME}` in texts stays, for the program to replace from the
 * Processor's env.
 */

const MAX_TIMEOUT_MS = 600_000
const MEBI = 1024 * 1024
/** The largest round number that JavaScript holds exactly. */
const MAX_TOKENS = 1_000_000_000_000_000

/** A path such as `a[0].b`. Dots and brackets alone are no path. */
const jsonPath = text(256).regex(/^[^\n]*[^.[\]\n][^\n]*$/)
const jsonPaths = (most: number) => atomicList(jsonPath, most)
const timeout = z.int().min(1).max(MAX_TIMEOUT_MS)
const url = text(2048).min(1)

export const tokenizerSettingsSchema = z.object({
  routers: mapList(
    z.object({
      router: pathOrDefault.describe('Path of a Router, or default for all Routers without an entry.'),
      requestPaths: jsonPaths(32)
        .optional()
        .describe('Paths of the texts in ingress_payload; left out: their places in the formats of the common APIs.'),
      responsePaths: jsonPaths(32)
        .optional()
        .describe('Paths of the texts in inbound_payload; left out: their places in the formats of the common APIs.'),
      encodings: z
        .array(z.enum(['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base']))
        .min(1)
        .max(6)
        .meta({ 'x-kubernetes-list-type': 'set' })
        .optional()
        .describe('Encodings by which tokens are counted; left out: gpt2.'),
    }),
    'router',
    256,
  )
    .optional()
    .describe('Texts and encodings that are counted, by Router.'),
  byModel: z.boolean().optional().describe("Counts with the encoding of the payload's model too; left out: false."),
  maxCharacters: z
    .int()
    .min(1)
    .max(16 * MEBI)
    .optional()
    .describe(
      'Most characters of one payload that are counted exactly; the count of a longer payload is an estimate; left out: 1048576.',
    ),
})

export const mockSettingsSchema = z.object({
  lambda: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('A replay waits 100/lambda milliseconds on average; 0 or left out: a replay does not wait.'),
  maxDelayMs: z.int().min(0).max(MAX_TIMEOUT_MS).optional().describe('Longest wait of a replay; left out: 50000.'),
  shared: z
    .boolean()
    .optional()
    .describe('true: all replicas share their recordings, which survive restarts; left out: false.'),
  recordings: z.int().min(1).max(10_000).optional().describe('Most recordings that are kept; left out: 1000.'),
  recordingBytes: z
    .int()
    .min(1)
    .max(32 * MEBI)
    .optional()
    .describe('Most bytes of one recording; left out: 1048576.'),
  totalBytes: z
    .int()
    .min(1)
    .max(1024 * MEBI)
    .optional()
    .describe('Most bytes of all recordings together; left out: 67108864.'),
})

export const regexSettingsSchema = z.object({
  patterns: atomicList(
    z.object({
      routers: pathList(64)
        .min(1)
        .optional()
        .describe('Paths of Routers; left out: all Routers that no pattern names.'),
      path: jsonPath.optional().describe('Path of the text in egress_payload; left out: choices[0].message.content.'),
      pattern: text(4096)
        .min(1)
        .describe(
          'An RE2 pattern; the text of a section is the first group that matched, without groups the whole match.',
        ),
      field: z
        .string()
        .max(64)
        .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)
        .optional()
        .describe('Field of egress_payload for the result; left out: regex.'),
      json: z.boolean().optional().describe('true: the text that the pattern finds is JSON; left out: false.'),
    }),
    100,
  )
    .optional()
    .describe('Patterns that are searched; left out: fenced markdown blocks, and JSON blocks on /json/.'),
  matchJson: z
    .boolean()
    .optional()
    .describe('true: the text that a pattern with json finds is parsed; left out: true.'),
  maxSections: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Most sections of one pattern in one answer; left out: 100.'),
  maxCharacters: z
    .int()
    .min(1)
    .max(16 * MEBI)
    .optional()
    .describe('Most characters of a text that are searched; left out: 1048576.'),
})

const MINUTES_PER_YEAR = 525_600
const NO_POOL_IN_POOL = {
  rule: 'self.all(pool, pool.members.all(member, !self.exists(other, other.path == member)))',
  message: 'a pool may be no member of a pool: a call is re-routed once',
}

export const brokerSettingsSchema = z.object({
  disabledMinutes: z
    .number()
    .min(0)
    .max(MINUTES_PER_YEAR)
    .optional()
    .describe('Minutes for which a failed member gets no calls; fractions are allowed; left out: 10.'),
  pools: mapList(
    z.object({
      path: routerPath().meta(cel(NO_DOT_SEGMENT)).describe('Path of the Router that callers name.'),
      members: pathList(32)
        .min(1)
        .describe('Paths of the Routers of the pool; callers cannot call a Router with internal: true directly.'),
    }),
    'path',
    32,
  )
    .min(1)
    .meta(cel(NO_POOL_IN_POOL))
    .describe('Pools: Routers that share the calls of another Router.'),
})

export const nlpEntitiesSettingsSchema = z.object({
  requestPaths: jsonPaths(32)
    .optional()
    .describe('Paths of the texts in outbound_payload; left out: their places in the formats of the common APIs.'),
  responsePaths: jsonPaths(32)
    .optional()
    .describe('Paths of the texts in egress_payload; left out: their places in the formats of the common APIs.'),
  routers: mapList(
    z.object({
      router: routerPath().describe('Path of a Router.'),
      requestPaths: jsonPaths(32).optional().describe('Paths for this Router, in place of the general paths.'),
      responsePaths: jsonPaths(32).optional().describe('Paths for this Router, in place of the general paths.'),
    }),
    'router',
    256,
  )
    .optional()
    .describe('Paths of texts for single Routers; with this list inputFields must name gl_path.'),
  labels: atomicList(text(64).min(1), 100).optional().describe('Labels that are written; left out: all.'),
  furtherLabels: setList(z.enum(['EMAIL', 'PHONE', 'IBAN', 'CARD', 'IP_ADDRESS']), 5)
    .optional()
    .describe(
      'Labels of data that identifies people; the built-in recognizer writes only those in this list; left out: none. If labels is set, name them there too.',
    ),
  maxCharacters: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("Characters of a message's texts that are searched; left out: 32768."),
  maxEntities: z.int().min(1).max(10_000).optional().describe('Most entities of one message; left out: 1000.'),
  timeoutMs: timeout
    .optional()
    .describe('Milliseconds that the built-in recognizer has for each 4096 characters; left out: 10000.'),
  endpoint: z
    .object({
      url: url.describe('Address of the recognizer.'),
      headers: z
        .record(headerName, text(4096))
        .meta({ maxProperties: 32, ...cel(HEADER_NAMES) })
        .optional()
        .describe('Headers of requests to the recognizer; may hold ${NAME}.'),
      timeoutMs: timeout.optional().describe('Milliseconds for one request; left out: 5000.'),
    })
    .optional()
    .describe('A recognizer of your own, in place of the built-in recognizer.'),
})

const categories = z
  .record(z.string(), z.enum(['toxicity', 'severe_toxicity', 'obscene', 'threat', 'insult', 'identity_attack']))
  .meta({ maxProperties: 64, ...cel(SHORT_KEYS) })

const ONNX_HAS_MODEL = {
  rule: "!has(self.scorer) || self.scorer != 'onnx' || has(self.onnx)",
  message: 'scorer: onnx needs it',
  reason: 'FieldValueRequired' as const,
  fieldPath: '.onnx',
}

export const contentFilterSettingsSchema = z
  .object({
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('A call with a score above this value is refused; left out: 0.5.'),
    rejectStatus: z.int().min(200).max(599).optional().describe('HTTP status of a refused call; left out: 403.'),
    action: z
      .enum(['reject', 'annotate'])
      .optional()
      .describe('annotate: write scores and is_toxic, and refuse no call; left out: reject.'),
    texts: z
      .enum(['specified', 'all_user', 'all'])
      .optional()
      .describe(
        'Texts that are scored. specified: messages[1], or else the last message of the user. all_user: all messages but earlier answers of the model. all: every text of the body. Left out: specified.',
      ),
    maxCharacters: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('Most characters of one body; the processor does not answer a longer body; left out: 67108864.'),
    timeoutMs: timeout.optional().describe('Milliseconds for the texts of one body; left out: 60000.'),
    scorer: z.enum(['built_in', 'onnx', 'endpoint']).optional().describe('Scorer; left out: built_in.'),
    onnx: z
      .object({
        directory: text(1024)
          .min(1)
          .describe('Folder of the image with config.json, tokenizer.json and onnx/model.onnx.'),
        labels: categories.optional().describe("Label of the model → category; a category's own name needs no entry."),
        activation: z
          .enum(['sigmoid', 'softmax', 'none'])
          .optional()
          .describe('Function that turns outputs into scores; left out: sigmoid.'),
        dtype: z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4']).optional().describe('Precision; left out: fp32.'),
        windowTokens: z
          .int()
          .min(16)
          .max(32_768)
          .optional()
          .describe('Most tokens that are scored at once; left out: 256.'),
        maxTokens: z
          .int()
          .min(16)
          .max(1_000_000_000)
          .optional()
          .describe('Most tokens of one body; the processor does not answer a longer body; left out: 65536.'),
        packageDirectory: text(1024)
          .optional()
          .describe(
            'Folder of the image with the package @huggingface/transformers; left out: the folder of the program.',
          ),
      })
      .optional()
      .describe('For scorer onnx: a text classification model that the image holds.'),
    endpoint: z
      .object({
        url: url.optional().describe('Address of the endpoint; left out: the moderation endpoint of OpenAI.'),
        apiKey: referenceOnly.optional().describe('The key, ${NAME} of env.'),
        model: text(256).optional().describe('Name of the model; left out: omni-moderation-latest.'),
        categories: categories
          .optional()
          .describe('Map from categories of the endpoint to categories of the filter; replaces the default map.'),
        timeoutMs: timeout.optional().describe('Milliseconds for one request; left out: 5000.'),
        windowCharacters: z
          .int()
          .min(256)
          .max(100_000)
          .optional()
          .describe('Most characters of one input; left out: 8000.'),
        maxCharacters: z
          .int()
          .min(256)
          .max(1_000_000_000)
          .optional()
          .describe('Most characters of one body; the processor does not answer a longer body; left out: 1000000.'),
      })
      .optional()
      .describe('For scorer endpoint: a moderation endpoint.'),
  })
  .meta(cel(ONNX_HAS_MODEL))

const tokenField = z.enum(['prompt_tokens', 'completion_tokens', 'total_tokens'])

export const tokenCounterSettingsSchema = z.object({
  capPeriodSeconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .optional()
    .describe('Seconds of one window of the caps; left out: 120.'),
  tokenCaps: mapList(
    z.object({
      router: routerPath().meta(cel(NO_DOT_SEGMENT)).describe('Path of the capped Router.'),
      fields: mapList(
        z.object({
          field: tokenField.describe('Kind of tokens that the cap counts.'),
          value: z.int().min(0).max(MAX_TOKENS).describe('Largest number of tokens in one window; 0: no cap.'),
        }),
        'field',
        3,
      ).describe('Caps of the Router.'),
    }),
    'router',
    256,
  )
    .default([])
    .describe('Routers that answer 429 once a cap is used up; left out: none.'),
  usageFields: mapList(
    z.object({
      router: pathOrDefault.describe('Path of a Router, or default for all Routers without an entry.'),
      patterns: atomicList(
        z.object({
          field: tokenField.describe('Kind of tokens.'),
          pattern: jsonPath.describe('Path of the number in the answer.'),
        }),
        16,
      ).describe('Paths of the token counts in the answer.'),
    }),
    'router',
    256,
  )
    .optional()
    .describe('Paths of the usage in answers, by Router; left out: their places in the formats of the common APIs.'),
})

export const customSettingsSchema = z.object({
  image: text(512)
    .min(1)
    .describe('Image of the processor; its environment has GATEWAY_HOST, NATS_TOKEN and the PROCESSOR_… variables.'),
  config: z
    .record(z.string(), z.unknown())
    .meta({ maxProperties: 256, 'x-kubernetes-preserve-unknown-fields': true })
    .optional()
    .describe('A JSON object of your own; the processor finds it in the file that PROCESSOR_CONFIG names.'),
})
