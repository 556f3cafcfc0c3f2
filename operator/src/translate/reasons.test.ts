import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Condition, LLM_GATEWAY_REASONS, PROCESSOR_REASONS, ROUTER_REASONS } from '@llm-gateway/crds'
import { parse } from 'yaml'

// Rules: docs/reference/kubernetes.md#reasons

type Reasons = Readonly<Record<string, readonly string[]>>
const KINDS: Readonly<Record<string, Reasons>> = {
  LLMGateway: LLM_GATEWAY_REASONS,
  Router: ROUTER_REASONS,
  Processor: PROCESSOR_REASONS,
}
/** NotEvaluated has an earlier cause, which Programmed tells. */
const NEVER: readonly string[] = ['Router Programmed NotEvaluated', 'Router Ready NotEvaluated']

const folder = join(import.meta.dirname, '../../testdata')
const goldens = new Map<string, string>()
for (const file of globSync('**/*.out.yaml', { cwd: folder })) {
  for (const reason of reasonsIn(parse(readFileSync(join(folder, file), 'utf8')) ?? {})) goldens.set(reason, file)
}
const known = Object.entries(KINDS).flatMap(([kind, types]) =>
  Object.entries(types).flatMap(([type, reasons]) => reasons.map((reason) => `${kind} ${type} ${reason}`)),
)

describe('each reason of each condition has a golden', () => {
  for (const reason of known) {
    test(reason, () => assert.equal(goldens.has(reason), !NEVER.includes(reason)))
  }

  test('no golden has another reason', () => {
    const unknown = [...goldens].filter(([reason]) => !known.includes(reason))
    assert.deepEqual(unknown, [])
  })
})

type Statuses = Readonly<Record<string, { readonly conditions?: readonly Condition[] }>>
type Said = Readonly<Record<string, string>>
type Golden = {
  readonly gatewayStatus?: { readonly conditions?: readonly Condition[] }
  readonly gatewaySays?: Said
  readonly routerStatuses?: Statuses
  readonly routersSay?: Readonly<Record<string, Said>>
  readonly processorStatuses?: Statuses
}

function reasonsIn(golden: Golden): readonly string[] {
  const { gatewayStatus = {}, gatewaySays = {}, routerStatuses = {}, routersSay = {}, processorStatuses = {} } = golden
  return [
    ...[gatewayStatus].flatMap((status) => ofStatus('LLMGateway', status)),
    ...ofText('LLMGateway', gatewaySays),
    ...Object.values(routerStatuses).flatMap((status) => ofStatus('Router', status)),
    ...Object.values(routersSay).flatMap((texts) => ofText('Router', texts)),
    ...Object.values(processorStatuses).flatMap((status) => ofStatus('Processor', status)),
  ]
}

function ofStatus(kind: string, { conditions = [] }: Statuses[string]): readonly string[] {
  return conditions.map(({ type, reason }) => `${kind} ${type} ${reason}`)
}

/** Reads `False PathConflict: An older Router holds /a/.` */
function ofText(kind: string, texts: Said): readonly string[] {
  const conditions = Object.entries(texts).filter(([, text]) => typeof text === 'string')
  return conditions.map(([type, text]) => `${kind} ${type} ${text.split(/[ :]/)[1]}`)
}
