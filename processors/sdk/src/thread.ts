// The exports for a thread's program, without the bus client and the metrics, which every thread would load again.
export { SettingsError } from '@llm-gateway/conf/failure'
export { type Answerer, runThread, type Work } from '@llm-gateway/conf/thread'
export { type MessageReader, runMessageThread } from './messages/run-message-thread.ts'
