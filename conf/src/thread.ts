// The door to worker threads, without the schemas and the log, which every thread would load again.
export { SettingsError, ThreadError } from './program/failure.ts'
export { type Answerer, runThread, type Work } from './thread/run-thread.ts'
export { type AskOptions, createThread, type Thread, type ThreadOptions } from './thread/worker-thread.ts'
