import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkGlConfig } from '@llm-gateway/conf'
import { type ComposedConfig, composeConfig } from './compose-config.ts'
import type { FileSettings } from './file-start.ts'
import { replayRouters, withReplays } from './processors/replay-routers.ts'
import type { BuiltEntry } from './routers/build-entry.ts'
import { allAtOnce } from './steps.ts'

// Rules: docs/reference/kubernetes.md#delivery

const NOWHERE = { url: 'https://res.example/', endpoint: '', headers: {} }
const KEY = 'V_0123456789abcdef'

function built(path: string, value: string, name = KEY): BuiltEntry {
  const outbound = { url: 'https://res.example/', endpoint: '', headers: { 'Api-Key': [`\${${name}}`] } }
  const entry = { path, ingress: { headers: {} }, outbound }
  return { entry, values: new Map([[name, value]]), sources: [], problems: [] }
}

function composed(settings: FileSettings, entries: readonly BuiltEntry[]): ComposedConfig {
  return allAtOnce(composeConfig(settings, entries))
}

/** Returns text that packing hardly shortens. */
function noise(seed: string, characters: number): string {
  const blocks = Array.from({ length: Math.ceil(characters / 64) }, (_, index) =>
    createHash('sha256').update(`${seed} ${index}`).digest('hex'),
  )
  return blocks.join('').slice(0, characters)
}

describe('a file and the values beside it', () => {
  test('of two texts with one value name the text of the older Router counts, so a Router never gets the value of another Router', () => {
    const { values, problems, text } = composed({}, [built('/older/', 'planted'), built('/younger/', 'own')])
    assert.deepEqual([...values], [[KEY, 'planted']])
    assert.deepEqual(
      problems.get('/younger/')?.map(({ reason }) => reason),
      ['InvalidValue'],
    )
    assert.deepEqual(JSON.parse(text).routers[1], { path: '/younger/', disabled: true })
  })

  test('an entry of the live file gets the newer text of its value, and keeps no other Router out', () => {
    const kept = { ...built('/older/', 'before the rotation'), kept: true }
    const { values, problems, text } = composed({}, [kept, built('/younger/', 'rotated')])
    assert.deepEqual([...values], [[KEY, 'rotated']])
    assert.deepEqual([...problems.values()].flat(), [])
    assert.deepEqual(
      JSON.parse(text).routers.map(({ disabled }: { disabled?: boolean }) => disabled),
      [undefined, undefined],
    )
  })

  test('a replay of an entry of the live file gets the newer text of its value, and keeps no other Router out', () => {
    const checking = (path: string, value: string): BuiltEntry => {
      const entry = { path, ingress: { headers: { Key: [`\${${KEY}}`] } }, outbound: NOWHERE }
      return { entry, values: new Map([[KEY, value]]), sources: [], problems: [] }
    }
    const routers = [{ ...checking('/older/', 'before'), kept: true }, checking('/younger/', 'rotated')]
    const all = withReplays(routers, replayRouters(['/older/', '/younger/'], routers))
    const { values, problems } = composed({}, all)
    assert.deepEqual([...values], [[KEY, 'rotated']])
    assert.deepEqual([...problems.values()].flat(), [])
  })

  test('equal texts with one value name are stored once', () => {
    const { problems } = composed({}, [built('/a/', 'same'), built('/b/', 'same')])
    assert.deepEqual([...problems.values()].flat(), [])
  })

  test('routers come last and sorted, whatever their age', () => {
    const { text, digest } = composed({ gateway_id: 'GATEWAY9' }, [built('/b/', 'x'), built('/a/', 'x')])
    assert.ok(text.startsWith('{"gateway_id":"GATEWAY9","routers":[{"path":"/a/"'))
    assert.equal(digest, `sha256:${createHash('sha256').update(text).digest('hex')}`)
  })
})

describe('the capacity of a ConfigMap and a Secret', () => {
  const name = (index: number) => `V_${String(index).padStart(16, '0')}`

  test('a file that packs well may be far larger than a ConfigMap', () => {
    const many = Array.from({ length: 12_000 }, (_, index) => built(`/r${index}/`, 'key', name(index)))
    const { text, crowdedOut } = composed({}, many)
    assert.ok(text.length > 1_000_000)
    assert.ok(gzipSync(text).length < 512 * 1024)
    assert.equal(crowdedOut.size, 0)
  })

  test('a file that is too large leaves out the newest Routers, which still hold their paths', () => {
    const many = Array.from({ length: 300 }, (_, index) => wide(index))
    const { text, crowdedOut, entries } = composed({}, many)
    assert.ok(gzipSync(text).length <= 1_000_000)
    assert.ok(crowdedOut.size > 0)
    const working = many.length - crowdedOut.size
    assert.deepEqual(
      [...crowdedOut],
      many.slice(working).map(({ entry }) => entry.path),
    )
    assert.equal(entries.size, many.length)
    const held = JSON.parse(text).routers.filter(({ disabled }: { disabled?: boolean }) => disabled === true)
    assert.equal(held.length, crowdedOut.size)
  })

  test('small values fill a Secret by their names', () => {
    const many = Array.from({ length: 26_000 }, (_, index) => built(`/r${index}/`, 'k', name(index)))
    const { values, crowdedOut } = composed({}, many)
    assert.ok(crowdedOut.size > 0)
    assert.ok(values.size > 20_000 && values.size < 26_000)
  })

  test('Routers that share a long value are left out where the gateway would refuse the file', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => built(`/r${index}/`, 'k'.repeat(15_000)))
    const { text, values, crowdedOut } = composed({}, many)
    assert.ok(crowdedOut.size > 0 && crowdedOut.size < 1_500, `${crowdedOut.size}`)
    const check = checkGlConfig(Buffer.from(text), { environment: {}, secrets: values })
    assert.equal(check.kind, 'checked', JSON.stringify(check).slice(0, 1_000))
  })

  test('entries of a namespace beyond its share count as the newest, so they keep out no other namespace', () => {
    const large = Array.from({ length: 100 }, (_, index) => ({
      ...built(`/hog/${index}/`, noise(String(index), 14_000), name(index)),
      tenant: 'hog',
    }))
    const later = Array.from({ length: 20 }, (_, index) => ({
      ...built(`/team/${index}/`, noise(`t${index}`, 3_000), name(1_000 + index)),
      tenant: 'team',
    }))
    const own = built('/own/', 'key', name(2_000))
    const { crowdedOut } = composed({}, [...large, ...later, own])
    assert.ok(crowdedOut.size > 0)
    assert.ok([...crowdedOut].every((path) => path.startsWith('/hog/')))
    // Entries within the namespace's share stay, however many follow.
    assert.ok(!crowdedOut.has('/hog/0/') && !crowdedOut.has('/hog/7/'))
  })

  test('large Routers that the gateway rejects keep no younger Router out, since they only hold their paths', () => {
    const rejected = Array.from({ length: 700 }, (_, index) => {
      const outbound = { url: 'https://res.example/', endpoint: 'a b', headers: manyHeaders }
      const entry = { path: `/hog/${index}/`, ingress: { headers: manyHeaders }, outbound }
      return { entry, tenant: 'hog', values: new Map(), sources: [], problems: [] }
    })
    const later = { ...built('/team/', 'key', name(1_000)), tenant: 'team' }
    const { crowdedOut, problems, text } = composed({}, [...rejected, later])
    assert.equal(problems.get('/hog/0/')?.length, 1)
    assert.equal(crowdedOut.size, 0)
    assert.equal(JSON.parse(text).routers.at(-1).disabled, undefined)
  })

  test('Routers count in their namespace’s share with their places in lists of rows', () => {
    const path = (tenant: string, index: number) => `/${tenant}/${noise(`${tenant} ${index}`, 200)}/`
    const of = (tenant: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...built(path(tenant, at), 'key', name(0)), tenant }))
    const entries = [...of('hog', 400), ...of('team', 2)]
    const routers = entries.map(({ entry }) => entry.path)
    const row = Array.from({ length: 200 }, () => [rowOf(routers)])
    const { crowdedOut } = composed({ request: { processors: row } }, entries)
    assert.ok(crowdedOut.size > 0)
    assert.ok([...crowdedOut].every((left) => left.startsWith('/hog/')))
  })

  test('places in lists that are kept count in a namespace’s share, too', () => {
    const hog = Array.from({ length: 250 }, (_, at) => {
      const path = `/hog/${noise(`hog ${at}`, 200)}/`
      return { ...built(path, 'key', name(0)), tenant: 'hog' }
    })
    const paths = hog.map(({ entry }) => entry.path)
    const own = Array.from({ length: 150 }, (_, at) => wide(at))
    const crowdedBy = (processors: ReturnType<typeof rowOf>[][]) =>
      [...composed({ request: { processors } }, [...hog, ...own]).crowdedOut].filter((path) => path.startsWith('/hog/'))
    const kept = Array.from({ length: 20 }, () => [{ ...rowOf(paths), kept: new Set(paths) }])
    assert.ok(crowdedBy(kept).length > 0)
    assert.deepEqual(crowdedBy([]), [])
  })

  test('places in lists count as they are packed, so that many Processors leave a namespace more than some Routers', () => {
    const of = (tenant: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...built(`/${tenant}/router-${at}/`, 'key', name(0)), tenant }))
    const entries = [...of('older', 1_500), ...of('team', 20)]
    const routers = entries.map(({ entry }) => entry.path)
    const rows = Array.from({ length: 600 }, () => [rowOf(routers)])
    const { crowdedOut } = composed({ request: { processors: rows } }, entries)
    assert.ok(crowdedOut.size > 0)
    assert.deepEqual(
      [...crowdedOut].filter((path) => path.startsWith('/team/')),
      [],
    )
  })

  function rowOf(routers: readonly string[]) {
    const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: [] }
    const call = { timeout: 500, modifier: false, required: false, async: false }
    return { name: 'pii', service_bus_topic: 'llm.gl.pii', ...call, ...fields, routers, reroute_to: [] }
  }

  const manyHeaders = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`H${at}`, Array(8).fill('x')]))

  function wide(index: number): BuiltEntry {
    const { entry, ...rest } = built(`/r${index}/`, 'key', name(index))
    return { ...rest, entry: { ...entry, ...header(index) } }
  }

  function header(index: number) {
    const values = ['a', 'b'].map((half) => noise(`${index} ${half}`, 4_000))
    return { ingress: { headers: { 'X-Wide': values } } }
  }
})
