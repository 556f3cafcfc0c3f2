import { describe } from 'node:test'
import { startProcessorProgram, whyNoProcessor } from '../fake/processor-program.ts'
import { CONTRACTS } from './processors.ts'
import { testProtocol } from './protocol-suite.ts'

// Rules: docs/reference/bus.md

for (const { name, ...contract } of CONTRACTS) {
  const absent = whyNoProcessor(name, process.env)
  describe(`${name} keeps the bus protocol`, { skip: absent ?? false }, () => {
    testProtocol({ name, ...contract }, (bus) => startProcessorProgram(name, bus))
  })
}
