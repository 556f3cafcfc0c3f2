import { startDemoLlm } from './demo-llm.ts'

const demo = await startDemoLlm(Number(process.argv[2] ?? 0))
console.log(`demo LLM (no model, every answer says so) at ${demo.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void demo.close())
