import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { assertUnchanged } from './assert-unchanged.ts'

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures/previous')
const GATEWAY = 'llm/main'

suite("the previous version's resources", () => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  after(() => rmSync(folder, { recursive: true }))

  for (const name of ['examples/kubernetes', 'imported'])
    test(`today's operator renders ${name} as the previous version did`, () => {
      const out = join(folder, name)
      const args = [join(ROOT, 'operator/src/main.ts'), 'render', join(FIXTURES, name), '--output', out]
      const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      // Exit code 2 means that a Router would not work; the statuses say which.
      assert.ok(status === 0 || status === 2, stderr)
      const read = (place: string, file: string) => readFileSync(join(place, GATEWAY, file), 'utf8')
      const before = join(FIXTURES, 'rendered', name)
      assertUnchanged(JSON.parse(read(before, 'gl_config.json')), JSON.parse(read(out, 'gl_config.json')), 'gl_config')
      const [old, today] = [objectsIn(read(before, 'objects.yaml')), objectsIn(read(out, 'objects.yaml'))]
      assert.ok(old.size > 5)
      for (const [key, object] of old) assertUnchanged(unchangingParts(object), unchangingParts(today.get(key)), key)
      assertUnchanged(verdictsIn(read(before, 'statuses.yaml')), verdictsIn(read(out, 'statuses.yaml')), 'statuses')
    })
})

type KubeObject = { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec?: object }

function objectsIn(text: string): ReadonlyMap<string, KubeObject> {
  const objects = parseAllDocuments(text).map((document): KubeObject => document.toJS())
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
}

/** Returns the parts that an upgrade can't or must not change: a workload's selector and a Service's spec. */
function unchangingParts(object: KubeObject | undefined): object | undefined {
  if (object?.kind === 'Service') return { spec: object.spec }
  return object && { selector: Reflect.get(object.spec ?? {}, 'selector') }
}

/** Maps conditions by type, since a version may add one at any place. */
function byType(conditions: readonly { readonly type: string }[]): object {
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition]))
}

/**
 * Maps statuses by kind, namespace and name, without texts, times, and the digest of a file that may contain more now.
 */
function verdictsIn(text: string): object {
  const statuses = parseAllDocuments(text).map((document) => document.toJS())
  const named = statuses.map(({ kind, metadata: { namespace, name }, status }) => [
    `${kind} ${namespace}/${name}`,
    { ...status, conditions: byType(status.conditions) },
  ])
  return JSON.parse(JSON.stringify(Object.fromEntries(named)), (key, value) =>
    ['message', 'lastTransitionTime', 'digest'].includes(key) ? undefined : value,
  )
}
