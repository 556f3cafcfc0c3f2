import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGinitConfig } from '@llm-gateway/conf'
import { planServices } from './plan-services.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs, docs/reference/ginit-config.md

const root = join(import.meta.dirname, '../../..')
const environment = { NATS_TOKEN: '4k', PATH: '/bin' }

function shippedPlans() {
  const check = checkGinitConfig(readFileSync(join(root, 'conf/ginit_config.json')), { environment: {} })
  assert.ok(check.kind === 'checked')
  return planServices(check.config, environment, { node: '/node', folders: ['/nowhere', root] })
}

test('planServices returns the shipped services in their order', () => {
  const names = shippedPlans().map(({ name }) => name)
  assert.deepEqual(names.slice(0, 5), ['nats-server', 'gl', 'nats2file', 'nats2log', 'tokencounter'])
})

test('a TypeScript program is run by Node, from the first folder that has it, with its file', () => {
  const gl = shippedPlans().find(({ name }) => name === 'gl')
  const args = [join(root, 'gateway/src/main.ts'), '-o', './app/conf/gl_config.json']
  assert.deepEqual(gl?.command, { program: '/node', args })
  assert.deepEqual(gl?.validation, { program: '/node', args: [...args, '--validate'] })
})

test('a bare name is resolved by PATH, and the bus validates its own file', () => {
  const bus = shippedPlans().find(({ name }) => name === 'nats-server')
  const args = ['-c', './app/conf/nats-server.conf']
  assert.deepEqual(bus?.command, { program: 'nats-server', args })
  assert.deepEqual(bus?.validation, { program: 'nats-server', args: [...args, '-t'] })
})

test('only the bus gets the token quoted', () => {
  const tokens = shippedPlans().map(({ name, environment: { NATS_TOKEN } }) => [name, NATS_TOKEN])
  for (const [name, token] of tokens) assert.equal(token, name === 'nats-server' ? '"4k"' : '4k')
})

test('files of services are watched, except gl’s', () => {
  for (const { name, watchedFile } of shippedPlans()) assert.equal(watchedFile === undefined, name === 'gl')
})

test('a stop waits for a running call of ten minutes', async () => {
  const gl = shippedPlans().find(({ name }) => name === 'gl')
  assert.ok(gl !== undefined && (await gl.drainMs?.()) === 610_000)
})
