import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Upstream } from '../upstream/upstream.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'

const unused: Upstream = { send: () => assert.fail(), close: async () => undefined }

for (const [name, target, status] of [
  ['without a router', '/nobody/', 404],
  ['without the router’s key', '/key/', 401],
] as const)
  test(`the body of a call ${name} is refused once`, async () => {
    const answers: Answer[] = []
    let refusals = 0
    const gateway = gatewayWith(unused, [], [])
    const refuseBody = (): void => {
      refusals += 1
    }
    await transact({ ...callWith(answers), target, refuseBody }, gateway)
    await gateway.bus.close()
    assert.deepEqual([answers.map((answer) => answer.status), refusals], [[status], 1])
  })
