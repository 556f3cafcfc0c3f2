import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { llmGatewaySchema, processorSchema, type ShippedType } from '@llm-gateway/crds'
import { definitions } from '@llm-gateway/crds/definitions'
import { whyNoProcessor } from '@llm-gateway/test/fake/processor-program'
import { parse } from 'yaml'
import { SHIPPED } from './processor-names.ts'
import { processorSettings } from './processor-settings.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm' }, spec: {} })
const KNOWN = new Set(['/a/', '/b/', '/pool/'])

/** Every field with settings, with a value that the program takes. */
const SETTINGS: Readonly<Record<ShippedType, object>> = {
  Tokenizer: {
    tokenizer: {
      routers: [{ router: '/a/', requestPaths: ['a[*].b'], responsePaths: ['c'], encodings: ['cl100k_base'] }],
      byModel: true,
      maxCharacters: 5,
    },
  },
  Mock: {
    mock: { lambda: 0.2, maxDelayMs: 9, shared: true, recordings: 7, recordingBytes: 4096, totalBytes: 8192 },
  },
  Regex: {
    regex: {
      patterns: [
        { routers: ['/a/'], path: 'a.b', pattern: '(?s)<(.*?)>$', field: 'found', json: true },
        { pattern: 'x' },
      ],
      matchJson: false,
      maxSections: 3,
      maxCharacters: 100,
    },
  },
  Broker: { broker: { disabledMinutes: 0.5, pools: [{ path: '/pool/', members: ['/a/', '/b/', '/gone/'] }] } },
  NlpEntities: {
    nlpEntities: {
      requestPaths: ['a'],
      responsePaths: ['b'],
      routers: [{ router: '/a/', requestPaths: ['c'], responsePaths: ['d'] }],
      labels: ['ORG', 'EMAIL'],
      furtherLabels: ['EMAIL', 'PHONE', 'IBAN', 'CARD', 'IP_ADDRESS'],
      maxCharacters: 100,
      maxEntities: 5,
      timeoutMs: 1_000,
      endpoint: { url: 'http://nlp.example/', headers: { 'X-Api-Key': '${KEY}' }, timeoutMs: 9 },
    },
  },
  ContentFilter: {
    contentFilter: {
      threshold: 0.7,
      rejectStatus: 400,
      action: 'annotate',
      texts: 'all_user',
      maxCharacters: 1_000,
      timeoutMs: 1_000,
      scorer: 'endpoint',
      onnx: {
        directory: '/models/toxic',
        labels: { LABEL_1: 'toxicity' },
        activation: 'softmax',
        dtype: 'q8',
        windowTokens: 16,
        maxTokens: 16,
        packageDirectory: '/opt',
      },
      endpoint: {
        url: 'https://scores.example/',
        apiKey: '${KEY}',
        model: 'm',
        categories: { 'Hate/Threat': 'threat' },
        timeoutMs: 9,
        windowCharacters: 256,
        maxCharacters: 512,
      },
    },
  },
  CharacterCount: {},
  TokenCounter: {
    tokenCounter: {
      capPeriodSeconds: 60,
      tokenCaps: [{ router: '/a/', fields: [{ field: 'total_tokens', value: 9 }] }],
      usageFields: [{ router: 'default', patterns: [{ field: 'total_tokens', pattern: 'inbound_payload.u' }] }],
    },
  },
}

const types = Object.keys(SHIPPED).filter((type): type is ShippedType => Object.hasOwn(SHIPPED, type))
test('the settings of this test set every field that a resource has for its type', () => {
  const manifest = parse(definitions().get('llmgateway.io_processors.yaml') ?? '')
  const { spec } = manifest.spec.versions[0].schema.openAPIV3Schema.properties
  for (const type of types) {
    const member = `${type.charAt(0).toLowerCase()}${type.slice(1)}`
    const settings = new Map(Object.entries(SETTINGS[type])).get(member) ?? {}
    assert.deepEqual(missingFields(settings, spec.properties[member] ?? {}), [], type)
  }
})

for (const type of types) {
  for (const [what, member] of [
    ['every setting', SETTINGS[type]],
    ['none', type === 'Broker' ? SETTINGS.Broker : {}],
  ] as const) {
    const skip = type === 'Regex' ? (whyNoProcessor('regex', process.env) ?? false) : false
    test(`the program of a ${type} starts with the file that ${what} of its resource gives, knowing each key`, {
      skip,
    }, async () => {
      const processor = processorSchema.parse({
        metadata: { name: 'p', namespace: 'llm' },
        spec: { gatewayRef: { name: 'main' }, type, ...member },
      })
      const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-settings-'))
      const file = join(folder, 'processor.json')
      try {
        writeFileSync(file, JSON.stringify(processorSettings(processor, gateway, KNOWN)))
        const main = join(ROOT, 'processors', SHIPPED[type].folder, 'src/main.ts')
        const env = { PATH: process.env.PATH, NATS_TOKEN: 't', KEY: 'k' }
        const run = promisify(execFile)(process.execPath, [main, '--validate', '-o', file], { env, timeout: 120_000 })
        const { stdout } = await run
        assert.doesNotMatch(stdout, /unknown keys|WARN|ERROR/)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
}

type Schema = { readonly items?: Schema; readonly properties?: Readonly<Record<string, Schema>> }

/** Returns the paths of fields that a value lacks. The first element of a list must have all fields of elements. */
function missingFields(value: unknown, { items, properties = {} }: Schema, at = ''): readonly string[] {
  if (value === undefined) return [at]
  if (Array.isArray(value)) return missingFields(value[0], items ?? {}, `${at}[]`)
  const members = new Map(Object.entries(value ?? {}))
  return Object.entries(properties).flatMap(([name, field]) => missingFields(members.get(name), field, `${at}.${name}`))
}
