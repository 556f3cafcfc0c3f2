import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { observationOf, processorOf, routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { EntryMemory } from '../routers/entry-memory.ts'
import { allAtOnce } from '../steps.ts'
import { translate } from '../translate.ts'
import { acceptProcessors } from './accept-processors.ts'
import { translateProcessors } from './translate-processors.ts'

// Rules: docs/reference/kubernetes.md#processor, docs/reference/configuration-rules.md#rows-and-entries

const custom = (index: number, order: number, fields: readonly string[] = ['control']) =>
  processorOf({
    metadata: { name: `p${String(index).padStart(4, '0')}` },
    spec: {
      gatewayRef: { name: 'main' },
      type: 'Custom',
      custom: { image: 'registry.example/p:1' },
      request: { order, outputFields: fields },
    },
  })
const customs = (count: number, orderOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => custom(index, orderOf(index)))

test('Processors of one order that don’t fit into a row of the gateway’s file make further rows, the older first', () => {
  const processors = [...customs(70, () => 20), custom(70, 10)]
  const { glConfig } = translate({ ...snapshotOf({}), processors })
  const check = checkGlConfig(Buffer.from(glConfig), { environment: {} })
  assert.ok(check.kind === 'checked', JSON.stringify(check))
  const rows = check.config.settings.request.processors
  assert.deepEqual(
    rows.map((row) => [row.length, row[0]?.name]),
    [
      [1, 'p0070'],
      [64, 'p0000'],
      [6, 'p0064'],
    ],
  )
})

test('a gateway has at most 1,000 Processors: the newest are refused', () => {
  const acceptances = allAtOnce(acceptProcessors(customs(1_001, (index) => index)))
  const refused = acceptances.filter(({ reason }) => reason !== 'Accepted')
  assert.deepEqual(
    refused.map(({ processor, reason }) => [processor.metadata.name, reason]),
    [['p1000', 'InvalidParameters']],
  )
})

test('a Processor that modifies nothing is not compared with the call points of all older ones', () => {
  const looksWith = (count: number): number => {
    let looks = 0
    const [first, ...others] = customs(count, (index) => index)
    assert.ok(first)
    const spec = new Proxy(first.spec, {
      get: (target, name, receiver) => {
        if (name === 'request') looks += 1
        return Reflect.get(target, name, receiver)
      },
    })
    allAtOnce(acceptProcessors([{ ...first, spec }, ...others]))
    return looks
  }
  assert.equal(looksWith(100), looksWith(2))
})

test('the configurations of all Custom Processors have a bound together: the newest are refused', () => {
  const processors = Array.from({ length: 12 }, (_, index) => {
    const config = { any: 'x'.repeat(800 * 1024) }
    const spec = { gatewayRef: { name: 'main' }, type: 'Custom', custom: { image: 'i', config }, request: {} }
    return processorOf({ metadata: { name: `p${String(index).padStart(2, '0')}` }, spec })
  })
  const acceptances = allAtOnce(acceptProcessors([...processors, custom(13, 20)]))
  const refused = acceptances.filter(({ reason }) => reason !== 'Accepted')
  assert.deepEqual(
    refused.map(({ processor, reason, message }) => [processor.metadata.name, reason, message.includes('8 MiB')]),
    [
      ['p10', 'InvalidParameters', true],
      ['p11', 'InvalidParameters', true],
    ],
  )
})

test('each Processor that can not be read is a step, and the live call points are not walked for each of them', () => {
  const count = 200
  const neverRead = Array.from({ length: count }, (_, index) =>
    processorOf({
      metadata: { name: `newer-${index}` },
      neverRead: true,
      spec: { gatewayRef: { name: 'main' }, type: 'Newer' },
      status: { subject: `llm.gl.newer-${index}` },
    }),
  )
  const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: ['control'] }
  const call = { timeout: 1_000, modifier: false, required: true, async: false, routers: [], reroute_to: [], ...fields }
  let reads = 0
  const liveCallPoints = Array.from({ length: count }, (_, row) => ({
    phase: 'request' as const,
    row,
    get entry() {
      reads += 1
      return { name: 'newer', service_bus_topic: `llm.gl.newer-${row}`, ...call }
    },
  }))
  const snapshot = { ...snapshotOf({}), processors: neverRead, liveCallPoints }
  const steps = translateProcessors(snapshot, [])
  let most = 0
  for (let before = 0, step = steps.next(); step.done !== true; before = reads, step = steps.next())
    most = Math.max(most, reads - before)
  assert.ok(reads < 10 * count, `${reads}`)
  assert.ok(most <= 2 * count, `${most}`)
})

const digest = (index: number) => createHash('sha256').update(String(index)).digest('hex').slice(0, 32)
const SECOND = Date.parse('2026-11-21T01:00:00Z')
const router = (index: number) =>
  routerOf({
    metadata: { name: `r${index}`, creationTimestamp: new Date(SECOND + index * 1_000).toISOString() },
    spec: { path: `/${digest(index)}/`, outbound: { url: 'https://res.example/' } },
  })

test('the lists of Processors for all Routers leave out the newest Routers, and the others work', () => {
  const routers = Array.from({ length: 3_000 }, (_, index) => router(index))
  const processors = customs(200, (index) => index)
  const snapshot = { ...snapshotOf({}), routers, processors }
  const { glConfig } = translate(snapshot)
  const check = checkGlConfig(Buffer.from(glConfig), { environment: {} })
  assert.ok(check.kind === 'checked', JSON.stringify(check).slice(0, 1_000))
  const kinds = new Map(check.config.routers.map(({ path, kind }) => [path, kind]))
  const working = routers.filter(({ spec }) => kinds.get(spec.path) === 'active')
  assert.ok(working.length > 100 && working.length < routers.length, `${working.length}`)
  assert.deepEqual(working, routers.slice(0, working.length))
  // No working Router bypasses a Processor.
  const named = working.map(({ spec }) => spec.path).sort()
  const rows = check.config.settings.request.processors
  assert.equal(rows.length, processors.length)
  for (const [entry] of rows) assert.deepEqual(entry?.routers, named)
})

test('a Router that finds no room stays in the list of a call point that is kept, so that its calls never bypass the processor', () => {
  const neverRead = processorOf({
    metadata: { name: 'newer' },
    neverRead: true,
    spec: { gatewayRef: { name: 'main' }, type: 'Newer' },
    status: { subject: 'llm.gl.newer' },
  })
  const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: ['control'] }
  const call = { timeout: 1_000, modifier: false, required: true, async: false }
  const routers = Array.from({ length: 3_000 }, (_, index) => router(index))
  const paths = routers.map(({ spec }) => spec.path).sort()
  const entry = { name: 'newer', service_bus_topic: 'llm.gl.newer', ...call, ...fields, routers: paths, reroute_to: [] }
  const liveCallPoints = [{ phase: 'request', row: 0, entry }] as const
  const snapshot = { ...snapshotOf({}), routers, liveCallPoints }
  const full = translate({ ...snapshot, processors: [neverRead, ...customs(200, (index) => index)] })
  const written = JSON.parse(full.glConfig)
  assert.ok(written.routers.some(({ disabled = false }) => disabled))
  const [[kept], [made]] = written.request.processors
  assert.deepEqual(kept, entry)
  assert.ok(made.routers.length < paths.length)
})

test('an edit that is refused in another way gives the file of an operator that has just started', () => {
  const refused = (named: object) =>
    processorOf({
      metadata: { name: 'guard' },
      spec: {
        gatewayRef: { name: 'main' },
        type: 'Custom',
        custom: { image: 'registry.example/p:1' },
        request: { outputFields: ['control'], async: true, required: true },
        ...named,
      },
    })
  const routers = Array.from({ length: 3_000 }, (_, index) => router(index))
  const paths = routers.map(({ spec }) => spec.path).sort()
  const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: ['control'] }
  const call = { timeout: 1_000, modifier: false, required: true, async: false, ...fields }
  const entry = { name: 'guard', service_bus_topic: 'llm.gl.custom.guard', ...call, routers: paths, reroute_to: [] }
  const liveCallPoints = [{ phase: 'request', row: 0, entry }] as const
  const given = { ...snapshotOf({}), routers, liveCallPoints }
  const others = customs(200, (index) => index)
  const memory = new EntryMemory()
  const named = (list: object) => ({ ...given, processors: [refused(list), ...others] })
  translate(named({}), memory)
  const after = named({ routers: ['/other/'] })
  const { glConfig } = translate(after, memory)
  assert.equal(glConfig === translate(after).glConfig, true)
  assert.equal(guardedBy(glConfig).length, paths.length, 'paths that the edit does not name stay')
  assert.ok(guardedBy(translate(named({})).glConfig).length < paths.length, 'paths that come back may be left out')
})

function guardedBy(glConfig: string): readonly string[] {
  const rows: { name: string; routers: string[] }[][] = JSON.parse(glConfig).request.processors
  return rows.flat().find(({ name }) => name === 'guard')?.routers ?? []
}

test('kept call points that are too large for any file leave the file in use as it is, and the gateway says so', () => {
  const newer = processorOf({
    metadata: { name: 'newer' },
    neverRead: true,
    spec: { gatewayRef: { name: 'main' }, type: 'Newer' },
    status: { subject: 'llm.gl.newer' },
  })
  const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: ['control'] }
  const call = { modifier: false, required: true, async: false }
  const paths = Array.from({ length: 3_000 }, (_, index) => router(index).spec.path)
  const liveCallPoints = Array.from({ length: 180 }, (_, timeout) => {
    const own = { name: 'newer', service_bus_topic: 'llm.gl.newer', routers: paths, reroute_to: [] }
    return { phase: 'request', row: 0, entry: { ...own, ...call, ...fields, timeout } } as const
  })
  const config = { digest: 'sha256:other', valuesRevision: '7' }
  const own = snapshotOf({ gateway: { status: { config } } })
  const translation = translate({ ...own, routers: [router(0)], processors: [newer], liveCallPoints })
  assert.equal(translation.fits, false)
  assert.equal(translation.glConfig.length, 0)
  for (const [says, reason] of [
    ['old', 'CapacityExceeded'],
    ['other settings', 'Programmed'],
  ]) {
    const pods = [{ name: 'p', says }]
    const { gateway, routers } = translation.statuses(observationOf({ observation: { pods } }, translation))
    const [ofGateway, ofRouter] = [gateway, ...routers.map(({ status }) => status)].map(({ conditions }) =>
      conditions?.find(({ type }) => type === 'Programmed'),
    )
    assert.deepEqual([ofGateway?.reason, ofRouter?.reason], ['CapacityExceeded', reason])
    assert.doesNotMatch(ofRouter?.message ?? '', /newest Routers/)
    assert.deepEqual(gateway.config, config)
  }
})

test('Processors whose call points name too many fields together are refused, the newest first, and a small one is not', () => {
  const fields = (index: number) =>
    Array.from({ length: 64 }, (_, at) => `f${digest(index * 64 + at)}${digest(at)}`.slice(0, 63))
  const processors = [...Array.from({ length: 300 }, (_, at) => custom(at, at, fields(at))), custom(300, 300)]
  const acceptances = allAtOnce(acceptProcessors(processors))
  const refused = acceptances.flatMap(({ processor, reason }) =>
    reason === 'Accepted' ? [] : [processor.metadata.name],
  )
  assert.ok(refused.length > 100 && refused.length < 200, `${refused.length}`)
  assert.deepEqual(
    refused,
    processors.slice(300 - refused.length, 300).map(({ metadata }) => metadata.name),
  )
  const routers = Array.from({ length: 3_000 }, (_, index) => router(index))
  const { glConfig } = translate({ ...snapshotOf({}), routers, processors })
  const check = checkGlConfig(Buffer.from(glConfig), { environment: {} })
  assert.ok(check.kind === 'checked', JSON.stringify(check).slice(0, 1_000))
  assert.ok(check.config.routers.filter(({ kind }) => kind === 'active').length > 50)
})
