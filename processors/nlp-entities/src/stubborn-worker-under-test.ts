import { parentPort } from 'node:worker_threads'

const port = parentPort

port?.on('message', (text: unknown) => {
  switch (text) {
    case 'hang':
      for (;;);
    case 'throw':
      throw new Error('planted')
    case 'exit':
      return process.exit(0)
    case 'nonsense':
      return port.postMessage([null, 7, {}, { text: 1, label: 'ORG' }])
    case 'no array':
      return port.postMessage('nothing')
    default:
      return port.postMessage([{ text, label: 'ORG' }])
  }
})
