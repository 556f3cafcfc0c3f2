import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '@llm-gateway/crds'
import { statusEvents } from './status-events.ts'

type State = readonly [
  type: string,
  status: Condition['status'],
  reason: string,
  message?: string,
  lack?: 'SinkUnavailable' | 'WebInterfaceUnavailable',
]

function status(...states: readonly State[]) {
  const time = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 }
  return {
    conditions: states.map(([type, value, reason, message = 'm']) => ({
      type,
      status: value,
      reason,
      message,
      ...time,
    })),
  }
}

const READY: State = ['Ready', 'True', 'Ready', 'The gateway serves calls.']
const READY_WITHOUT: State = [
  'Ready',
  'True',
  'Ready',
  'The gateway serves calls; sink file has no ready pod.',
  'SinkUnavailable',
]

const READY_WITHOUT_WEB: State = [
  'Ready',
  'True',
  'Ready',
  'The gateway serves calls; the web interface has no ready pod.',
  'WebInterfaceUnavailable',
]

const cases: readonly (readonly [string, readonly State[], readonly State[], readonly string[]])[] = [
  [
    'a resource that becomes Programmed',
    [['Programmed', 'Unknown', 'Pending']],
    [['Programmed', 'True', 'Programmed']],
    ['Normal Programmed'],
  ],
  ['a new resource that is Programmed at once', [], [['Programmed', 'True', 'Programmed']], ['Normal Programmed']],
  ['an edit while Programmed', [['Programmed', 'True', 'Programmed']], [['Programmed', 'True', 'Programmed']], []],
  ['pods that lag for a moment', [['Programmed', 'True', 'Programmed']], [['Programmed', 'False', 'PodsLagging']], []],
  [
    'a configuration that pods reject',
    [],
    [['Programmed', 'False', 'RejectedByGateway']],
    ['Warning RejectedByGateway'],
  ],
  ['a path that another Router holds', [], [['Accepted', 'False', 'PathConflict']], ['Warning PathConflict']],
  [
    'a name that a foreign object has',
    [['Accepted', 'True', 'Accepted']],
    [['Accepted', 'False', 'NameConflict']],
    ['Warning NameConflict'],
  ],
  ['an unchanged refusal', [['Accepted', 'False', 'PathConflict']], [['Accepted', 'False', 'PathConflict']], []],
  [
    'a refusal for another reason',
    [['Accepted', 'False', 'PathConflict']],
    [['Accepted', 'False', 'PathReserved']],
    ['Warning PathReserved'],
  ],
  ['a missing Secret', [], [['ResolvedRefs', 'False', 'SecretNotFound']], ['Warning SecretNotFound']],
  ['a sink that becomes unavailable', [READY], [READY_WITHOUT], ['Warning SinkUnavailable']],
  ['a gateway that becomes Ready without a sink', [], [READY_WITHOUT], ['Warning SinkUnavailable']],
  ['a sink that stays unavailable', [READY_WITHOUT], [READY_WITHOUT], []],
  ['a sink that is available again', [READY_WITHOUT], [READY], []],
  ['a web interface that becomes unavailable', [READY], [READY_WITHOUT_WEB], ['Warning WebInterfaceUnavailable']],
  ['a web interface that stays unavailable', [READY_WITHOUT_WEB], [READY_WITHOUT_WEB], []],
  ['a verdict that is still unknown', [], [['Accepted', 'Unknown', 'Pending']], []],
]
for (const [what, before, after, expected] of cases) {
  test(`${what} is reported as ${expected[0] ?? 'nothing'}`, () => {
    const lack = after.find(([, , , , named]) => named !== undefined)?.[4]
    const news = statusEvents(status(...before), status(...after), lack)
    assert.deepEqual(
      news.map(({ type, reason }) => `${type} ${reason}`),
      expected,
    )
  })
}
