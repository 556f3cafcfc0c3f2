import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGuiConfig } from '@llm-gateway/conf'
import { llmGatewaySchema } from '@llm-gateway/crds'
import { givenIn, snapshotOf } from '../../golden-input-under-test.ts'
import { attachedNamespaces } from '../make-objects.ts'
import { webConfig } from './web-config.ts'

// Rules: docs/reference/gui-config.md

const testdata = join(import.meta.dirname, '../../../../testdata/objects')
const environment = { GUI_SECRET: 'secret', NATS_TOKEN: 'token' }
const readRole = { kind: 'Role', name: 'llm-gateway-web-read.llm-gateway-system' } as const

for (const file of ['web.in.yaml', 'web-edit.in.yaml']) {
  test(`the web interface takes the file that is written for ${file}, and knows every key of it`, () => {
    const snapshot = snapshotOf(givenIn(readFileSync(join(testdata, file), 'utf8')))
    const { gateway } = snapshot
    const { webInterface: web } = gateway.spec
    assert.ok(web)
    const text = webConfig({ gateway, web, readRole, namespaces: attachedNamespaces(snapshot) })
    const check = checkGuiConfig(Buffer.from(text), { environment })
    assert.deepEqual(check.kind === 'invalid' ? check.validationErrors : check.unknownKeys, [])
    assert.equal(check.kind !== 'invalid' && check.config.kubernetes?.read_role, `Role/${readRole.name}`)
  })
}

test('a list of namespaces that is too long for the file is cut, and the program takes the file', () => {
  const metadata = { name: 'main', namespace: 'llm', uid: 'a', generation: 1 }
  const gateway = llmGatewaySchema.parse({ metadata, spec: { webInterface: {} } })
  const { webInterface: web } = gateway.spec
  assert.ok(web)
  const namespaces = Array.from({ length: 5_000 }, (_, index) => `team-${index}`)
  const check = checkGuiConfig(Buffer.from(webConfig({ gateway, web, readRole, namespaces })), { environment })
  assert.equal(check.kind === 'invalid' ? check.validationErrors : check.config.kubernetes?.namespaces.length, 1_000)
})
