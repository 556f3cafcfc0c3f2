import { runMessageThread } from './run-message-thread.ts'

// `data`: the field names given to `selectedFields`.
await runMessageThread((data) => {
  const names: ReadonlySet<unknown> = new Set(Array.isArray(data) ? data : [])
  return (fields) => new Map([...fields].filter(([name]) => names.has(name)))
})
