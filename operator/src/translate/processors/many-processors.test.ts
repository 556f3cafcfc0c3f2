import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { processorOf, snapshotOf } from '../golden-input-under-test.ts'
import { allAtOnce } from '../steps.ts'
import { translate } from '../translate.ts'
import { acceptProcessors } from './accept-processors.ts'

// Rules: docs/reference/kubernetes.md#processor, docs/reference/configuration-rules.md#rows-and-entries

const custom = (index: number, order: number) =>
  processorOf({
    metadata: { name: `p${String(index).padStart(4, '0')}` },
    spec: {
      gatewayRef: { name: 'main' },
      type: 'Custom',
      custom: { image: 'registry.example/p:1' },
      request: { order, outputFields: ['control'] },
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
