import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from '../fake/program.ts'
import { cpuSeconds, residentMegabytes } from './process-cost.ts'

// The loop ends by CPU time, because a process on a busy machine gets less CPU time than the clock shows.
const SPIN = 'while (process.cpuUsage().user < 300_000); console.log("spun"); setInterval(() => 0, 1000)'
const PARENT = `
const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(SPIN)}], { stdio: 'inherit' })
process.on('SIGTERM', () => { child.kill(); process.exit() })`

test('CPU seconds and resident memory count the children too', async () => {
  await using program = await startProgram({ command: process.execPath, args: ['-e', PARENT] })
  await program.lines.waitFor((line) => line === 'spun')
  assert.ok((await cpuSeconds([program.pid])) > 0.2)
  assert.ok((await residentMegabytes([program.pid])) > 60)
  assert.equal(await cpuSeconds([]), 0)
})
