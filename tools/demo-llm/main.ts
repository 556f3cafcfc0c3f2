import { startDemoLlm } from './demo-llm.ts'

// Arguments: port and host. In a container `8080 0.0.0.0` lets other pods call the demo LLM.
const [port = '0', host] = process.argv.slice(2)
const demo = await startDemoLlm(Number(port), host)
console.log(`demo LLM (without a model, as every answer says) at ${demo.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void demo.close())
