import { describe } from 'node:test'
import { startProcessorProgram, whyAbsent } from '../fake/processor-program.ts'
import { CONTRACTS } from './processors.ts'
import { keepsProtocol } from './protocol-suite.ts'

for (const { name, ...contract } of CONTRACTS) {
  const absent = whyAbsent(name, process.env)
  describe(`wire 2: the protocol as ${name} keeps it`, { skip: absent ?? false }, () => {
    keepsProtocol({ name, ...contract }, (bus) => startProcessorProgram(name, bus))
  })
}
