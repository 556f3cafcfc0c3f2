import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { generatedFiles } from './generated-files.ts'
import { readArm } from './reading/arm-under-test.ts'
import { type BicepFile, readBicep } from './reading/bicep-under-test.ts'
import { type Deployment, deployArm, deployBicep, type Given } from './reading/deployment-under-test.ts'
import { memberOf } from './reading/evaluate-under-test.ts'

const root = join(import.meta.dirname, '../..')
const NEEDED: Given = { aiServiceApiBase: 'https://llm.example', natsToken: 'a token of some length' }
const SECRETS: Given = { aiServiceApiKey: 'real', gatewayApiKey: 'asked', guiSecret: 'door' }
const REGISTRY: Given = { registryServer: 'registry.example', registryUsername: 'me', registryPassword: 'secret' }
const GIVEN: readonly (readonly [what: string, given: Given])[] = [
  ['the required parameters only', NEEDED],
  ['every secret and the web interface', { ...NEEDED, ...SECRETS, webInterface: true }],
  ['a private registry, other names and sizes', { ...NEEDED, ...REGISTRY, cpu: 4, containerGroupName: 'other' }],
  [
    'a value that looks like an expression',
    { ...NEEDED, image: "[parameters('natsToken')]", dnsNameLabel: "it's {0}" },
  ],
]

test('the templates are those of the model: `make generate` leaves no diff', () => {
  const files = generatedFiles(root)
  for (const { path, text } of files) assert.equal(readFileSync(join(root, path), 'utf8'), text, path)
  assert.deepEqual(globSync('deploy/azure/*.{bicep,json}', { cwd: root }).sort(), files.map(({ path }) => path).sort())
})

for (const name of ['main', 'container']) {
  describe(`${name}.bicep and ${name}.json`, () => {
    const json = readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')
    const arm = readArm(json)
    let bicep: BicepFile
    before(async () => {
      bicep = await readBicep(readFileSync(join(import.meta.dirname, `${name}.bicep`), 'utf8'))
    })

    for (const [what, given] of GIVEN) {
      test(`deploy the same, resource by resource, with ${what}`, () => {
        assertSame(deployBicep(bicep, given), deployArm(arm, given))
      })
    }

    test('differ when any value of the JSON is changed', () => {
      const deployments = GIVEN.map(([, given]) => [given, deployBicep(bicep, given)] as const)
      const changes = changedTexts(json)
      assert.ok(changes.length > 100)
      for (const { path, text } of changes) {
        const isSame = () => {
          for (const [given, deployment] of deployments) assertSame(deployment, deployArm(readArm(text), given))
        }
        assert.throws(isSame, path)
      }
    })
  })
}

for (const name of ['main', 'container'])
  test(`${name}.json opens the web interface's port and returns its address only with the parameter webInterface`, () => {
    const arm = readArm(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'))
    const webInterfaceOf = (given: Given) => {
      const { resources, outputs } = deployArm(arm, { ...NEEDED, ...given })
      const group = [...resources.values()].find(({ type }) => type === 'Microsoft.ContainerInstance/containerGroups')
      const properties = memberOf(group?.body, 'properties')
      const container = memberOf(memberOf(memberOf(properties, 'containers'), 0), 'properties')
      const open = [memberOf(properties, 'ipAddress'), container].map((of) => portsOf(memberOf(of, 'ports')))
      return { open, address: memberOf(memberOf(outputs, 'webInterfaceAddress'), 'value') }
    }
    const shut = [5380, 4222]
    assert.deepEqual(webInterfaceOf({}), { open: [shut, shut], address: '' })
    assert.deepEqual(webInterfaceOf({ guiSecret: 'a password' }), { open: [shut, shut], address: '' })
    const asked = webInterfaceOf({ webInterface: true, guiSecret: 'a password' })
    assert.deepEqual(asked.open, [
      [...shut, 8080],
      [...shut, 8080],
    ])
    assert.match(String(asked.address), /^http:\/\/<.*\/ipAddress\/ip>:8080\/login$/)
  })

function portsOf(ports: unknown): readonly unknown[] {
  assert.ok(Array.isArray(ports))
  return ports.map((entry) => memberOf(entry, 'port'))
}

function assertSame(one: Deployment, other: Deployment): void {
  assert.deepEqual([...one.resources.keys()].sort(), [...other.resources.keys()].sort())
  assert.ok(one.resources.size >= 1)
  for (const [id, resource] of one.resources) assert.deepEqual(resource, other.resources.get(id), id)
  assert.deepEqual(one.parameters, other.parameters)
  assert.deepEqual(one.outputs, other.outputs)
}

type Change = { readonly path: string; readonly text: string }

/** Returns copies of the text, each with one meaningful value changed. */
function changedTexts(json: string): readonly Change[] {
  const changes: Change[] = []
  const visit = (value: unknown, path: string, put: (changed: unknown) => unknown): void => {
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, `${path}/${at}`, (changed) => put(value.with(at, changed)))
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value))
        visit(member, `${path}/${key}`, (changed) => put({ ...value, [key]: changed }))
    else changes.push({ path, text: JSON.stringify(put(otherThan(value))) })
  }
  visit(JSON.parse(json), '', (changed) => changed)
  return changes.filter(({ path }) => !/^\/(\$schema|contentVersion|metadata)/.test(path))
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  const text = String(value)
  // A change after the last character would break the expression.
  return text.endsWith(']') && text.includes("'") ? text.replace(/'([^']*)'(?=[^']*$)/, "'$1x'") : `${text}x`
}
