// The processor of the tests of the installed SDK, in JavaScript; word_count.py is the same processor in Python.
import { noSettings, runProcessor, selectedFields } from '@llm-gateway/sdk'

/** The words of all messages' texts. */
function answer(fields) {
  const messages = fields.get('ingress_payload')?.messages
  if (!Array.isArray(messages)) return undefined
  const texts = messages.map((message) => message?.content)
  if (!texts.every((text) => typeof text === 'string')) return undefined
  return { word_count: texts.join(' ').split(/\s+/).filter(Boolean).length }
}

const create = () => ({ answer, large: selectedFields(['ingress_payload'], answer) })
process.exit(await runProcessor({ name: 'wordcount', version: '1.2.3', settings: noSettings, create }, process))
