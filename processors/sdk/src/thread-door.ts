// What a thread's program needs, without the bus client and the metrics, which would be loaded by each thread again.
export { SettingsError } from './failure.ts'
export { type MessageReader, runMessageThread } from './message-program.ts'
export { type Answerer, runThread, type Work } from './thread-program.ts'
