import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSteps } from './first-steps.ts'

const STEPS = { port: 5380, seconds: '3.0', demo: true, regex: true, off: [], folder: '.run' }

test('that every processor runs is only said when regex does not wait for re2', () => {
  assert.ok(firstSteps(STEPS).includes('Every processor runs.'))
  const waiting = firstSteps({ ...STEPS, regex: false }).join('\n')
  assert.doesNotMatch(waiting, /Every processor runs/)
  assert.match(waiting, /Every processor but regex runs; regex .* joins when re2 is built/)
})
