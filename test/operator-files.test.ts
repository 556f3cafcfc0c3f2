import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { compile } from '@llm-gateway/gateway/compile'
import { checkedConfig } from '@llm-gateway/operator/golden'

// The only link between operator and gateway is a file, here as in production.
const folder = join(import.meta.dirname, '../operator/testdata')
const cases = globSync('**/*.in.yaml', { cwd: folder }).sort()

describe('the gateway runs each file of the operator’s goldens', () => {
  test('the operator has goldens', () => assert.ok(cases.length > 60))

  for (const file of cases) {
    test(file.replace('.in.yaml', ''), () => {
      const check = checkedConfig(readFileSync(join(folder, file), 'utf8'))
      assert.ok(check.kind === 'checked', JSON.stringify(check))
      const { config } = check
      assert.deepEqual({ rejected: config.rejectedFields, unknown: config.unknownKeys }, { rejected: {}, unknown: [] })
      const { routes } = compile(config, check.digest)
      // Inactive paths must be there too, answering 404: a shorter path would otherwise take their calls.
      assert.deepEqual([...routes.byPath.keys()].sort(), config.routers.map(({ path }) => path).sort())
      for (const { kind, path } of config.routers) {
        assert.equal(routes.byPath.get(path) === 'inactive', kind !== 'active', path)
      }
    })
  }
})
