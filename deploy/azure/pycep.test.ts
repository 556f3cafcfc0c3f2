import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readBicep } from './reading/bicep-under-test.ts'
import { readWithPycep, whyNoPycep } from './reading/pycep-under-test.ts'

const skip = await whyNoPycep()

for (const name of ['main', 'container'])
  test(`another parser finds the statements in ${name}.bicep that tree-sitter’s grammar finds`, { skip }, async () => {
    const file = join(import.meta.dirname, `${name}.bicep`)
    const [other, own] = [await readWithPycep(file), await readBicep(readFileSync(file, 'utf8'))]
    assert.deepEqual(
      Object.entries(other.parameters).map(([name, { type, decorators }]) => {
        const found = decorators.map(({ type }) => type)
        return { name, type, isSecure: found.includes('secure') }
      }),
      [...own.parameters].map(([name, { type, isSecure }]) => ({ name, type, isSecure })),
    )
    assert.deepEqual(
      Object.entries(other.resources).map(([symbol, { type, api_version, existing, config }]) => {
        return { symbol, type, apiVersion: api_version, isExisting: existing, members: Object.keys(config).sort() }
      }),
      own.resources.map(({ members, ...resource }) => ({ ...resource, members: [...members.keys()].sort() })),
    )
    assert.deepEqual(Object.keys(other.outputs), [...own.outputs.keys()])
  })

test('both parsers refuse a text that is no Bicep', { skip }, async () => {
  await using folder = await temporaryFolder()
  const text = readFileSync(join(import.meta.dirname, 'container.bicep'), 'utf8').replace('= {', '= {{')
  const file = join(folder.path, 'broken.bicep')
  writeFileSync(file, text)
  await assert.rejects(readWithPycep(file))
  await assert.rejects(readBicep(text))
})
