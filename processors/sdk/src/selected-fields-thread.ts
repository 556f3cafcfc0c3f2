import { runMessageThread } from './message-program.ts'

// The `data` of `selectedFields`: the names of the fields.
await runMessageThread((data) => {
  const names: ReadonlySet<unknown> = new Set(Array.isArray(data) ? data : [])
  return (fields) => new Map([...fields].filter(([name]) => names.has(name)))
})
