#!/usr/bin/env node
// A processor in TypeScript: adds `word_count`, the words of a question, to the record.
import { type Answer, noSettings, runProcessor } from '@llm-gateway/sdk'

/** Returns the fields to add, which the row in gl_config.json must name; undefined adds nothing. */
function answer(fields: ReadonlyMap<string, unknown>): Answer {
  const messages = member(fields.get('ingress_payload'), 'messages')
  if (!Array.isArray(messages)) return undefined
  const texts = messages.map((message) => member(message, 'content'))
  // Not a chat request of texts.
  if (!texts.every((text) => typeof text === 'string')) return undefined
  return { word_count: texts.join(' ').split(/\s+/).filter(Boolean).length }
}

/** Reads a member of a value of any kind, because a caller may send any JSON. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined
}

// The SDK handles the connection, the subscription, /readyz, SIGTERM, deadlines and failures.
const create = () => ({ answer })
process.exit(await runProcessor({ name: 'wordcount', version: '1.0.0', settings: noSettings, create }, process))
