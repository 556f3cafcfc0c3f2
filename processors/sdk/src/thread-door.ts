// The exports for a thread's program, without the bus client and the metrics, which every thread would load again.
export { SettingsError } from './failure.ts'
export { type MessageReader, runMessageThread } from './message-program.ts'
export { type Answerer, runThread, type Work } from './thread-program.ts'
