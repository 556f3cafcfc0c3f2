import { startDemoLlm } from './demo-llm.ts'

// In a container others have to reach it: `main.ts 8080 0.0.0.0`.
const [port = '0', host] = process.argv.slice(2)
const demo = await startDemoLlm(Number(port), host)
console.log(`demo LLM (no model, every answer says so) at ${demo.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void demo.close())
