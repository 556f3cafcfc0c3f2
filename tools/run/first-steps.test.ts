import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSteps } from './first-steps.ts'

const gui = { kind: 'open', port: 8080, password: 'GUI_SECRET in .run/env' } as const
const STEPS = { port: 5380, seconds: '3.0', demo: true, regex: true, late: [], off: [], folder: '.run', gui }

test('the first steps name the address of the web interface and the file with its password', () => {
  const line = 'Web interface: http://localhost:8080/login, the password is GUI_SECRET in .run/env.'
  assert.ok(firstSteps(STEPS).includes(line))
})

test('the first steps say why the web interface is off', () => {
  const off = { kind: 'off', why: 'port 8080 is in use by another program (gui_port in gui_config.json)' } as const
  const lines = firstSteps({ ...STEPS, gui: off })
  assert.ok(lines.includes('Web interface: off, port 8080 is in use by another program (gui_port in gui_config.json).'))
})

test('the first steps say that every processor runs only when regex does not wait for re2', () => {
  assert.ok(firstSteps(STEPS).includes('All processors are running.'))
  const waiting = firstSteps({ ...STEPS, regex: false }).join('\n')
  assert.doesNotMatch(waiting, /All processors are running/)
  assert.match(waiting, /All processors but regex are running; regex .* starts when re2 is built/)
})

test('the first steps name the services that do not run yet', () => {
  const lines = firstSteps({ ...STEPS, late: ['nats2log', 'mock'] })
  assert.ok(lines.includes('Not running yet: nats2log, mock. Lines above say why; each is tried again every minute.'))
  assert.ok(!lines.includes('All processors are running.'))
  assert.ok(!firstSteps(STEPS).some((line) => line.startsWith('Not running')))
})
