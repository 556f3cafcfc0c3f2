import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { kstatusOf } from '@llm-gateway/test/fake/kstatus'
import { LuaFactory } from 'wasmoon'
import { parse } from 'yaml'
import { editedResources, type JudgedResource, judgedResources } from './golden-under-test.ts'

// Rules: docs/reference/kubernetes.md#conditions

const folder = join(import.meta.dirname, '../../testdata')
const files = globSync('**/*.in.yaml', { cwd: folder }).sort()
const inputs = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
const resources = [...inputs].flatMap(([file, input]) =>
  judgedResources(input).map((resource) => ({ file, ...resource })),
)
const edited = [...inputs].flatMap(([file, input]) => editedResources(input).map((resource) => ({ file, ...resource })))

const isTrue = ({ metadata, status }: JudgedResource, type: string): boolean =>
  status.conditions?.some(
    (condition) =>
      condition.type === type &&
      condition.status === 'True' &&
      condition.observedGeneration === generationOf(metadata, status),
  ) === true
/** An object that can't be read is judged for the stored generation. */
const generationOf = (metadata: JudgedResource['metadata'], status: JudgedResource['status']): number =>
  status.conditions?.find(({ type }) => type === 'Accepted')?.observedGeneration ?? metadata.generation
const stored = (one: JudgedResource) => ({
  metadata: { ...one.metadata, generation: generationOf(one.metadata, one.status) },
  status: one.status,
})
const nameOf = ({ file, kind, metadata }: JudgedResource & { readonly file: string }): string =>
  `${file} ${kind} ${metadata.name}`

describe('tools that wait for any kind understand the statuses', () => {
  test('each resource has one Ready, and none of the conditions that say the opposite', () => {
    assert.ok(resources.length > 200)
    for (const one of resources) {
      const types = one.status.conditions?.map(({ type }) => type) ?? []
      assert.equal(types.filter((type) => type === 'Ready').length, 1, nameOf(one))
      assert.ok(!types.includes('Reconciling') && !types.includes('Stalled'), nameOf(one))
    }
  })

  test('kstatus calls exactly those resources Current that are Ready and Programmed in the newest generation', () => {
    const current = resources.filter((resource) => kstatusOf(stored(resource)) === 'Current')
    const whole = resources.filter((resource) => isTrue(resource, 'Ready') && isTrue(resource, 'Programmed'))
    assert.deepEqual(current.map(nameOf), whole.map(nameOf))
    for (const kind of ['LLMGateway', 'Router', 'Processor'])
      assert.ok(
        current.some((resource) => resource.kind === kind),
        kind,
      )
  })

  test('after an edit no resource is Current until the pods have the edit', () => {
    const early = edited.filter((resource) => kstatusOf(stored(resource)) === 'Current')
    assert.deepEqual(early.map(nameOf), [])
    const served = edited.filter((resource) =>
      resource.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    )
    assert.ok(served.length > 5, 'pods go on serving with the previous configuration')
    assert.deepEqual(
      served.filter((resource) => isTrue(resource, 'Ready')).map(nameOf),
      [],
      'kubectl wait --for=condition=Ready waits too',
    )
  })

  test('Ready names the first obstacle, and is Unknown while the operator only waits', () => {
    for (const one of resources.filter(({ kind }) => kind === 'Router')) {
      const conditions = new Map(one.status.conditions?.map((condition) => [condition.type, condition]))
      const blocking = ['Programmed', 'ResolvedRefs']
        .map((type) => conditions.get(type))
        .find((it) => it?.status !== 'True')
      const ready = conditions.get('Ready')
      assert.equal(ready?.reason, blocking?.reason ?? 'Ready', nameOf(one))
      if (blocking !== undefined)
        assert.equal(ready?.status, blocking.reason === 'Pending' ? 'Unknown' : blocking.status, nameOf(one))
    }
  })
})

const HEALTH = join(import.meta.dirname, '../../../charts/llm-gateway/argocd/health.yaml')
type Health = { readonly status: string; readonly message: string }
const KINDS = ['LLMGateway', 'Router', 'Processor']
const PREFIX = 'resource.customizations.health.llmgateway.io_'

describe('Argo CD’s health of our statuses, by the shipped scripts', () => {
  const texts: Readonly<Record<string, string>> = parse(readFileSync(HEALTH, 'utf8')).data
  /**
   * The object is a table `obj`, as in Argo CD, and the script returns another. All objects share one Lua state, since
   * calls into Lua are slow.
   */
  const healthOf = async (kind: string, objects: readonly object[]): Promise<readonly Health[]> => {
    const lua = await new LuaFactory().createEngine()
    try {
      const health: unknown = await lua.doString(`
        local function health(obj)
          ${texts[`${PREFIX}${kind}`] ?? ''}
        end
        local lines = {}
        for _, obj in ipairs(${luaOf(objects)}) do
          local found = health(obj)
          lines[#lines + 1] = found.status .. " " .. found.message
        end
        return table.concat(lines, "\\n")`)
      return String(health)
        .split('\n')
        .map((line) => ({ status: line.slice(0, line.indexOf(' ')), message: line.slice(line.indexOf(' ') + 1) }))
    } finally {
      lua.global.close()
    }
  }
  const paused = (one: JudgedResource): boolean => one.metadata.annotations['llmgateway.io/paused'] === 'true'

  test('each kind has a health script', () => {
    assert.deepEqual(
      Object.keys(texts).toSorted(),
      ['LLMGateway', 'Processor', 'Router'].map((kind) => `${PREFIX}${kind}`),
    )
  })

  test('Current resources are Healthy, Degraded resources name a cause, and all others are Progressing', async () => {
    const seen = new Set<string>()
    for (const kind of KINDS) {
      const judged = [...resources, ...edited].filter((resource) => resource.kind === kind)
      const healths = await healthOf(kind, judged.map(stored))
      assert.equal(healths.length, judged.length)
      for (const [index, one] of judged.entries()) {
        const { status, message } = healths[index] ?? { status: '', message: '' }
        seen.add(status)
        if (paused(one)) assert.equal(status, 'Suspended', nameOf(one))
        else assert.equal(status === 'Healthy', kstatusOf(stored(one)) === 'Current', `${nameOf(one)}: ${message}`)
        const isFalse = one.status.conditions?.some((condition) => condition.status === 'False')
        if (status === 'Degraded') assert.ok(isFalse && /^[A-Z]\w+: ./.test(message), nameOf(one))
      }
    }
    assert.deepEqual([...seen].toSorted(), ['Degraded', 'Healthy', 'Progressing', 'Suspended'])
  })

  test('a resource that no operator has looked at is Progressing', async () => {
    const metadata = { name: 'a', generation: 1 }
    for (const kind of KINDS) {
      const healths = await healthOf(kind, [{ metadata }, { metadata, status: { observedGeneration: -1 } }])
      assert.deepEqual(
        healths.map(({ status }) => status),
        ['Progressing', 'Progressing'],
      )
    }
  })
})

/** Writes a value in Lua, since Argo CD passes a table. */
function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, member]) => `[${luaOf(key)}] = ${luaOf(member)}`)
    return `{${fields.join(', ')}}`
  }
  if (typeof value !== 'string') return value === undefined || value === null ? 'nil' : String(value)
  return JSON.stringify(value).replaceAll(/\\u([0-9a-f]{4})/g, '\\u{$1}')
}
