import { runThread } from '@llm-gateway/sdk/thread'
import { createCounting, isCountRequest } from './counting.ts'
import type { EncodingName } from './encodings.ts'

await runThread<readonly EncodingName[]>(async (encodings) => {
  const count = await createCounting(encodings)
  return (request, { stopped }) => (isCountRequest(request) ? count(request, { stopped }) : [])
})
