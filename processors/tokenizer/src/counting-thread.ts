import { runThread } from '@llm-gateway/sdk/thread'
import { createCounting, isCountRequest } from './counting.ts'

await runThread(() => {
  const count = createCounting()
  return async (request, { stopped }) => (isCountRequest(request) ? await count(request, { stopped }) : [])
})
