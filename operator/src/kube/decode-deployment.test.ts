import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServing } from '../translate/judge-pods.ts'
import { decodeDeployment } from './decode.ts'

const cases: readonly (readonly [string, number, string, number, boolean])[] = [
  ['available', 2, 'True', 1, true],
  ['not available', 2, 'False', 1, false],
  ['available, edited since its controller looked', 1, 'True', 1, true],
  ['not available, edited since its controller looked', 1, 'False', 1, false],
  ['available without a pod', 2, 'True', 0, false],
]
for (const [title, observedGeneration, status, readyReplicas, expected] of cases) {
  test(`a Deployment that is ${title} ${expected ? 'serves' : "doesn't serve"}`, () => {
    const conditions = [{ type: 'Available', status }]
    const workload = decodeDeployment({
      metadata: { name: 'a', namespace: 'b', generation: 2 },
      status: { observedGeneration, readyReplicas, conditions },
    })
    assert.equal(isServing(workload?.observed), expected)
    assert.equal(workload?.observed.available, status === 'True' && observedGeneration === 2)
  })
}
