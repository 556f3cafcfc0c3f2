import { describe } from 'node:test'
import { startProcessorProgram, whyAbsent } from '../fake/processor-program.ts'
import { CONTRACTS } from './processors.ts'
import { keepsProtocol } from './protocol-suite.ts'

// Rules: docs/reference/bus.md

for (const { name, ...contract } of CONTRACTS) {
  const absent = whyAbsent(name, process.env)
  describe(`${name} keeps the bus protocol`, { skip: absent ?? false }, () => {
    keepsProtocol({ name, ...contract }, (bus) => startProcessorProgram(name, bus))
  })
}
