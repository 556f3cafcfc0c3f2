import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkSinkConfig } from '@llm-gateway/conf'
import { llmGatewaySchema } from '@llm-gateway/crds'
import { parse } from 'yaml'
import { sinkConfig } from './sink-config.ts'
import { sinksOf } from './sink-kinds.ts'

// Rules: docs/reference/nats2file-config.md, docs/reference/kubernetes.md#variables

const golden = join(import.meta.dirname, '../../../../testdata/objects/sinks.in.yaml')
const gateway = llmGatewaySchema.parse(parse(readFileSync(golden, 'utf8')).gateway)
const environment = { NATS_TOKEN: 'token', ELASTIC: 'e', KEY: 'a2V5', ID: 'id', TOKEN: 'token', V_DOLLAR: '$' }

for (const sink of sinksOf(gateway)) {
  test(`the sink takes the file that is written for ${sink.kind}, and knows every key of it`, () => {
    const check = checkSinkConfig(Buffer.from(sinkConfig(sink, gateway)), { environment })
    assert.deepEqual(check.kind === 'invalid' ? check.validationErrors : check.unknownKeys, [])
  })
}

test('in a sink only ${NAME} is a reference; every other text arrives as it was written', () => {
  const rest = sinksOf(gateway).find(({ kind }) => kind === 'rest')
  assert.ok(rest)
  const check = checkSinkConfig(Buffer.from(sinkConfig(rest, gateway)), { environment })
  assert.ok(check.kind !== 'invalid')
  assert.deepEqual(check.config.rest_api_writer?.headers, {
    Authorization: ['Bearer a2V5'],
    'X-Text': ['$NAME', '$(KEY)', '$${KEY}', '${ KEY'],
  })
})

for (const sink of sinksOf(gateway).filter((one) => one.kind !== 'file' && one.kind !== 'postgres')) {
  test(`in the address of ${sink.kind} only \${NAME} is a reference, too`, () => {
    const config = sinkConfig({ ...sink, url: 'https://host/${KEY}/$${KEY}' }, gateway)
    const check = checkSinkConfig(Buffer.from(config), { environment })
    assert.ok(check.kind !== 'invalid')
    assert.match(JSON.stringify(check.config), /"url":"https:\/\/host\/a2V5\/\$\$\{KEY\}"/)
  })
}
