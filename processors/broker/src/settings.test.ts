import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokerSettings } from './settings.ts'

// Rules: docs/reference/processors.md#broker, docs/reference/processor-settings.md#broker

test('without settings there is one pool of three and ten minutes', () => {
  assert.deepEqual(brokerSettings.parse({}), {
    pools: [{ path: '/pool/', members: ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/'] }],
    disabled_time_minutes: 10,
  })
})

test('the disabled time may be a fraction, and a text from a variable', () => {
  assert.equal(brokerSettings.parse({ disabled_time_minutes: 0.05 }).disabled_time_minutes, 0.05)
  assert.equal(brokerSettings.parse({ disabled_time_minutes: '0.5' }).disabled_time_minutes, 0.5)
  for (const time of [-1, 'soon', '', null, Number.NaN, 1e9]) {
    assert.equal(brokerSettings.safeParse({ disabled_time_minutes: time }).success, false, String(time))
  }
})

const faults = [
  { title: 'a pool without members', pools: [{ path: '/p/', members: [] }], at: 'pools.0.members', reason: /./ },
  { title: 'an empty list of pools', pools: [], at: 'pools', reason: /./ },
  {
    title: 'one path twice',
    pools: [
      { path: '/p/', members: ['/a/'] },
      { path: '/p/', members: ['/b/'] },
    ],
    at: 'pools.1.path',
    reason: /^unique:path$/,
  },
  {
    title: 'one member twice',
    pools: [{ path: '/p/', members: ['/a/', '/b/', '/a/'] }],
    at: 'pools.0.members.2',
    reason: /^unique:/,
  },
  {
    title: 'a pool as its own member',
    pools: [{ path: '/p/', members: ['/a/', '/p/'] }],
    at: 'pools.0.members.1',
    reason: /^pool:$/,
  },
  {
    title: 'a pool as a member of an earlier pool',
    pools: [
      { path: '/p/', members: ['/q/'] },
      { path: '/q/', members: ['/a/'] },
    ],
    at: 'pools.0.members.0',
    reason: /^pool:$/,
  },
  ...['gpt4', '/gpt4', 'gpt4/', '', '//', '/a//b/', '/../', '/a/./', '/a b/', 'https://x/', 7].map((member) => ({
    title: `the member ${JSON.stringify(member)}`,
    pools: [{ path: '/p/', members: ['/a/', member] }],
    at: 'pools.0.members.1',
    reason: /./,
  })),
]

for (const { title, pools, at, reason } of faults) {
  test(`${title} is refused, and the error names the path of the setting`, () => {
    const { error } = brokerSettings.safeParse({ pools })
    const issue = error?.issues.find(({ path }) => path.join('.') === at)
    assert.match(issue?.message ?? 'accepted', reason)
    assert.notEqual(issue, undefined, at)
  })
}

test('nested paths and a member of two pools are accepted', () => {
  const pools = [
    { path: '/', members: ['/pool/a/'] },
    { path: '/pool/', members: ['/pool/a/', '/pool/a.b/', '/pool/..c/'] },
  ]
  assert.deepEqual(brokerSettings.parse({ pools }).pools, pools)
})
