import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { routersOff } from './routers-off.ts'

const example = readFileSync(join(import.meta.dirname, '../../conf/examples/processors/gl_config.json'))

function routersOffWith(environment: NodeJS.ProcessEnv): readonly string[] {
  const check = checkGlConfig(example, { environment: { NATS_TOKEN: 't', ...environment } })
  assert.ok(check.kind === 'checked')
  return routersOff(check.config.rejectedFields, example.toString(), environment)
}

const LLM = { AISERVICE_API_BASE: 'http://127.0.0.1:9' }

test('with only the URL of an LLM API set, the routers that need its key are named with their variables', () => {
  assert.deepEqual(routersOffWith(LLM), [
    'Off: /restricted/ (AISERVICE_API_KEY, GATEWAY_API_KEY unset)',
    'Off: /pool/gpt35turbo/, /pool/gpt4/ (AISERVICE_API_KEY unset)',
    'Off: /mock/restricted/ (GATEWAY_API_KEY unset)',
  ])
})

test('with everything set no router is off', () => {
  assert.deepEqual(routersOffWith({ ...LLM, AISERVICE_API_KEY: 'k', GATEWAY_API_KEY: 'k' }), [])
})

test('a router rejected for another reason is reported only by the warning', () => {
  const routers = '{"routers":[{"path":"/a/","outbound":{"url":"no url"}}]}'
  assert.deepEqual(routersOff({ 'gl_config.Routers[0].Router.Outbound.Url': 'url:' }, routers, {}), [])
})
