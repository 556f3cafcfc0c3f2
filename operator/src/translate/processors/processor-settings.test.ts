import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { llmGatewaySchema, processorSchema, type ShippedType } from '@llm-gateway/crds'
import { whyNoProcessor } from '@llm-gateway/test/fake/processor-program'
import { SHIPPED } from './processor-names.ts'
import { processorSettings } from './processor-settings.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm' }, spec: {} })
const KNOWN = new Set(['/a/', '/b/', '/pool/'])

/** Every setting that a resource can set. */
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
      routers: [{ router: '/a/', requestPaths: ['c'] }],
      labels: ['ORG'],
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
      texts: 'all_user',
      maxCharacters: 1_000,
      timeoutMs: 1_000,
      scorer: 'endpoint',
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
