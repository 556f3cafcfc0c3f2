import { runThread } from '@llm-gateway/conf/thread'
import type { ReaderData, ReaderRequest, ReaderResponse } from './reader-messages.ts'

// A thread that ends at the request whose kind is in the variable ENDS_AT.
await runThread(({ source }: ReaderData) => ({ kind }: ReaderRequest): ReaderResponse => {
  if (kind === source.environment.ENDS_AT) process.exit(0)
  return { kind: 'read', fingerprint: 'same', valuesRevision: undefined }
})
