import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readManifest } from './manifest-text.ts'

const HEAD = 'apiVersion: llmgateway.io/v1alpha1\nkind: Processor\nmetadata: {name: a, namespace: llm}\n'
const withConfig = (config: string): string =>
  `${HEAD}spec:\n  gatewayRef: {name: main}\n  type: Custom\n  custom:\n    image: a/b:1\n    config:\n      deep: ${config}\n`
const maps = (levels: number): string => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`

const TOO_DEEP = 'The manifest is nested too deeply.'
const KEY = 'A key of the manifest is a list or a map.'
const CHAIN = Array.from({ length: 60 }, (_, i) => `      a${i + 1}: &a${i + 1} [[[*a${i}]]]\n`).join('')

for (const [title, text, message] of [
  ['maps of 64 levels', withConfig(maps(64)), undefined],
  ['maps of 500 levels', withConfig(maps(500)), TOO_DEEP],
  ['lists of 1,000 levels', withConfig(`\n       ${'- '.repeat(1_000)}1`), TOO_DEEP],
  ['aliases of 180 levels', withConfig(`&a0 []\n${CHAIN}`), TOO_DEEP],
  ['a list as key', withConfig('{[a]: 1}'), KEY],
  ['maps as keys of 500 levels', withConfig(`\n       ${'? '.repeat(500)}1`), KEY],
] as const) {
  test(`a manifest with ${title} is ${message === undefined ? 'read' : 'invalid'}`, () => {
    const read = readManifest(text)
    const messages = read.kind === 'invalid' ? read.errors.map((error) => error.message) : []
    assert.deepEqual(messages, message === undefined ? [] : [message])
  })
}
