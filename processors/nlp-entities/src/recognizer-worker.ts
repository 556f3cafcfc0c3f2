import { parentPort } from 'node:worker_threads'
import { recognize } from './recognize.ts'

const port = parentPort

port?.on('message', (text: unknown) => {
  if (typeof text !== 'string') return port.postMessage([])
  port.postMessage(recognize(text).map(({ start, end, label }) => ({ text: text.slice(start, end), label })))
})
