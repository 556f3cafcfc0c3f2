import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProxyChoice } from './proxy-choice.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const https = { HTTPS_PROXY: 'http://proxy:3128' }

function chosen(variables: Readonly<Record<string, string>>, target: string): string | undefined {
  return createProxyChoice(variables)?.(new URL(target))?.href
}

const cases: readonly (readonly [string, Readonly<Record<string, string>>, string, string | undefined])[] = [
  ['no variable', {}, 'https://llm.example', undefined],
  ['HTTPS_PROXY', https, 'https://llm.example', 'http://proxy:3128/'],
  ['lower case first', { ...https, https_proxy: 'http://lower:1' }, 'https://llm.example', 'http://lower:1/'],
  ['an empty variable counts as unset', { ...https, https_proxy: '' }, 'https://llm.example', 'http://proxy:3128/'],
  ['without a scheme', { HTTPS_PROXY: 'proxy:3128' }, 'https://llm.example', 'http://proxy:3128/'],
  ['HTTPS_PROXY does not apply to http', https, 'http://llm.example', undefined],
  ['http_proxy', { http_proxy: 'http://plain:80' }, 'http://llm.example', 'http://plain/'],
  ['http_proxy does not apply to https', { http_proxy: 'http://plain:80' }, 'https://llm.example', undefined],
  ['HTTP_PROXY is not read', { HTTP_PROXY: 'http://plain:80' }, 'http://llm.example', undefined],
]

for (const [name, variables, target, proxy] of cases) {
  test(`HTTPS_PROXY: ${name}`, () => assert.equal(chosen(variables, target), proxy))
}

const exceptions: readonly (readonly [noProxy: string, target: string, direct: boolean])[] = [
  ['*', 'https://llm.example', true],
  ['llm.example', 'https://llm.example', true],
  ['LLM.Example', 'https://llm.EXAMPLE.', true],
  ['llm.example', 'https://eu.llm.example', true],
  ['.llm.example', 'https://eu.llm.example', true],
  ['*.llm.example', 'https://eu.llm.example', true],
  ['llm.example', 'https://notllm.example', false],
  ['other.example, llm.example', 'https://llm.example', true],
  ['llm.example:443', 'https://llm.example', true],
  ['llm.example:8443', 'https://llm.example', false],
  ['10.1.2.3', 'https://10.1.2.3:8443', true],
  ['10.0.0.0/8', 'https://10.200.0.1', true],
  ['10.0.0.0/8', 'https://11.0.0.1', false],
  ['10.0.0.0/8', 'https://ten.example', false],
  ['10.0.0.0/99', 'https://10.0.0.1', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['[::1]:8443', 'https://[::1]:8443', true],
  ['::1', 'https://[::1]', true],
  ['', 'https://llm.example', false],
]

for (const [noProxy, target, direct] of exceptions) {
  test(`NO_PROXY: "${noProxy}" ${direct ? 'excepts' : 'does not except'} ${target}`, () => {
    assert.equal(chosen({ ...https, NO_PROXY: noProxy }, target), direct ? undefined : 'http://proxy:3128/')
  })
}

test('a proxy that isn’t http or https fails the start, and its text isn’t shown', () => {
  for (const url of ['socks5://user:secret@proxy:1', 'http://']) {
    assert.throws(() => createProxyChoice({ https_proxy: url }), {
      code: 'PROXY_UNSUPPORTED',
      message: 'the proxy is neither http nor https',
    })
  }
})
