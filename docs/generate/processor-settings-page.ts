import { brokerSettings } from '@llm-gateway/broker/src/settings.ts'
import { contentFilterSettings } from '@llm-gateway/content-filter/src/settings.ts'
import { mockSettings } from '@llm-gateway/mock/src/settings.ts'
import { nlpEntitiesSettings } from '@llm-gateway/nlp-entities/src/settings.ts'
import { regexSettings } from '@llm-gateway/regex/src/settings.ts'
import { tokenizerSettings } from '@llm-gateway/tokenizer/src/settings.ts'
import { z } from 'zod'
import { anchored, code, page, plain, table } from './markdown.ts'
import { PROCESSOR_TEXTS, SETTINGS_WITHOUT_FIELD } from './processor-texts.ts'
import { type SettingRow, schemaRows } from './schema-rows.ts'

type Form = {
  readonly title: string
  readonly schema: z.ZodType
  readonly variables?: Readonly<Record<string, string>>
}

const FORMS: Readonly<Record<string, Form>> = {
  tokenizer: { title: 'Tokenizer', schema: tokenizerSettings },
  mock: { title: 'Mock', schema: mockSettings, variables: { lambda: 'LAMBDA' } },
  regex: { title: 'Regex', schema: regexSettings, variables: { match_json: 'MATCH_JSON' } },
  broker: { title: 'Broker', schema: brokerSettings, variables: { disabled_time_minutes: 'DISABLED_TIME' } },
  'nlp-entities': { title: 'NLP entities', schema: nlpEntitiesSettings },
  'content-filter': {
    title: 'Content filter',
    schema: contentFilterSettings,
    variables: { threshold: 'THRESHOLD', reject_status: 'REJECT_STATUS' },
  },
}

/** Writes the page of the processors' settings files; the token counter's file has a page of its own. */
export function processorSettingsPage(): string {
  return page('Processor settings', [
    'A processor reads the file of its argument `-o FILE`, or else the file that the variable `PROCESSOR_CONFIG` names. Without a file all settings have their defaults. A change needs a restart: the supervisor restarts the processor when its file changes; on Kubernetes the operator replaces its pods.',
    'Every file may also contain `version`, `log_level` and `service_bus`, in the form of [gl_config.json](gl-config.md). The character count has no other settings. [Another page](tokencounter-config.md) has the settings of the token counter. An environment variable of the last column has precedence over the file.',
    'On Kubernetes these settings are fields of the resource [Processor](crd-processor.md), with names in camel case; `disabled_time_minutes` is called `disabledMinutes`. The [last table](#settings-without-a-field) shows the settings that are no fields.',
    ...Object.entries(FORMS).flatMap(([processor, { title, variables = {} }]) => [
      `## ${title}`,
      table(
        ['Setting', 'Meaning', 'Type and range', 'Default', 'Variable'],
        processorSettings(processor).map(({ path, type, defaultValue, required }) => [
          anchored(path, processor),
          plain(PROCESSOR_TEXTS[processor]?.[path] ?? ''),
          type,
          required ? 'required' : shown(defaultValue),
          code(variables[path] ?? ''),
        ]),
      ),
    ]),
    '## Settings without a field',
    table(
      ['Setting', 'Processor', 'Value on Kubernetes'],
      Object.entries(SETTINGS_WITHOUT_FIELD).flatMap(([processor, settings]) =>
        Object.entries(settings).map(([path, value]) => [
          code(path),
          FORMS[processor]?.title ?? processor,
          plain(value),
        ]),
      ),
    ),
  ])
}

const MOST_SHOWN = 100

function shown(defaultValue: string | undefined): string {
  if (defaultValue === undefined) return ''
  return defaultValue.length > MOST_SHOWN ? 'see the processor’s README' : code(defaultValue)
}

export function processorsWithSettings(): readonly string[] {
  return Object.keys(FORMS)
}

export function processorSettings(processor: string): readonly SettingRow[] {
  const schema = FORMS[processor]?.schema
  if (schema === undefined) return []
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: completed })
  return schemaRows(json).filter(({ path, type }) => type !== 'object' && !path.endsWith('[]'))
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

/** Adds parts that zod omits: a default of a text or a number, and the range of the second half of a pipe. */
function completed({ zodSchema, jsonSchema }: Parameters<Override>[0]): void {
  const { def } = zodSchema._zod
  if (def.type === 'default') jsonSchema.default = def.defaultValue
  if (def.type !== 'pipe') return
  const { type, minimum, maximum } = z.toJSONSchema(def.out, { io: 'input', unrepresentable: 'any' })
  if (type !== 'integer') return
  jsonSchema.type = type
  jsonSchema.minimum = Math.max(jsonSchema.minimum ?? -Infinity, minimum ?? -Infinity)
  jsonSchema.maximum = Math.min(jsonSchema.maximum ?? Infinity, maximum ?? Infinity)
}
