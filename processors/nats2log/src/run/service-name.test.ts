import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceName } from './service-name.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs

const NAMES: readonly (readonly [string, string])[] = [
  ['./app/conf/nats2file_config.json', 'nats2file'],
  ['nats2log_config.json', 'nats2log'],
  ['/etc/sink/config.json', 'nats2log'],
  ['a b_config.json', 'nats2log'],
]

test('the name of the file decides between the services nats2file and nats2log', () => {
  for (const [file, name] of NAMES) assert.equal(serviceName(file), name)
})
