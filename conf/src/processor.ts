// The parts of this package for a processor's program; `index.ts` would load the schemas of all files.
export { type BusAddress, parseBusAddress } from './bus-address.ts'
export type { FileCheck } from './check-with-schema.ts'
export type { Environment } from './env-reference.ts'
export { checkProcessorSettings, type ProgramSettings } from './processor-settings.ts'
export { type ProcessorCommandLine, parseProcessorCommandLine } from './program/command-line.ts'
export { createLogger } from './program/log.ts'
export { ConfError, readDelivery } from './read-delivery.ts'
export { readSmallFile } from './read-small-file.ts'
