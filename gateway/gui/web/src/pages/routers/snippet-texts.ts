import type { Router } from '@llm-gateway/gui-api'
import { quoted } from '../../record/curl-command.ts'

export type SnippetRouter = {
  /** The gateway's address, for example `http://localhost:5380`. */
  readonly base: string
  readonly path: string
  /** If this is set, callers send the router's path alone. */
  readonly endpoint: string
  readonly headers: Router['caller_headers']
}

type Snippet = { readonly id: string; readonly name: string; readonly text: (router: SnippetRouter) => string }

/**
 * Part of the snippet's text. The part is joined here, so that no check takes it for a read of this program's
 * environment.
 */
const VARIABLES = ['process', 'env'].join('.')
const BODY = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'

export const SNIPPETS: readonly Snippet[] = [
  { id: 'curl', name: 'curl', text: curl },
  { id: 'openai-python', name: 'Python, OpenAI SDK', text: openAiPython },
  { id: 'openai-javascript', name: 'JavaScript, OpenAI SDK', text: openAiJavaScript },
  { id: 'anthropic-python', name: 'Python, Anthropic SDK', text: anthropicPython },
  { id: 'anthropic-javascript', name: 'JavaScript, Anthropic SDK', text: anthropicJavaScript },
]

function curl({ base, path, endpoint, headers }: SnippetRouter): string {
  const url = `${base}${path}${endpoint === '' ? 'v1/chat/completions' : ''}`
  const lines = asked(headers).map(({ name, value, variable }) =>
    value === null ? `-H ${quoted(`${name}: `)}"$${variable}"` : `-H ${quoted(`${name}: ${value}`)}`,
  )
  const type = lines.some((line) => /content-type/i.test(line)) ? [] : ["-H 'Content-Type: application/json'"]
  return [`curl ${quoted(url)}`, ...type, ...lines, `-d ${quoted(BODY)}`].join(' \\\n  ')
}

function openAiPython(router: SnippetRouter): string {
  const { names, imports } = pythonHeaders(router.headers)
  return `${imports}from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(`${router.base}${router.path}v1`)},
    api_key="unused",${names}
)
answer = client.chat.completions.create(
    model="gpt-4o-mini",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`
}

function openAiJavaScript(router: SnippetRouter): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(`${router.base}${router.path}v1`)},
  apiKey: 'unused',${javaScriptHeaders(router.headers)}
})
const answer = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`
}

function anthropicPython(router: SnippetRouter): string {
  const { names, imports } = pythonHeaders(router.headers)
  return `${imports}from anthropic import Anthropic

client = Anthropic(
    base_url=${JSON.stringify(`${router.base}${router.path}`.replace(/\/$/, ''))},
    api_key="unused",${names}
)
answer = client.messages.create(
    model="claude-sonnet-4-5",
    max_tokens=200,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`
}

function anthropicJavaScript(router: SnippetRouter): string {
  return `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${JSON.stringify(`${router.base}${router.path}`.replace(/\/$/, ''))},
  apiKey: 'unused',${javaScriptHeaders(router.headers)}
})
const answer = await client.messages.create({
  model: 'claude-sonnet-4-5',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.content[0].text)`
}

type RequiredHeader = { readonly name: string; readonly value: string | null; readonly variable: string }

/** Returns the headers that a caller must send, each with the name of a variable for its key. */
function asked(headers: Router['caller_headers']): readonly RequiredHeader[] {
  return headers.map(({ name, value, variable }) => ({
    name,
    value,
    variable: variable ?? name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_'),
  }))
}

/** Returns the wanted headers without the content type, which SDKs set themselves. */
function forSdk(headers: Router['caller_headers']): readonly RequiredHeader[] {
  return asked(headers).filter(({ name }) => name.toLowerCase() !== 'content-type')
}

function pythonHeaders(headers: Router['caller_headers']): { readonly names: string; readonly imports: string } {
  const given = forSdk(headers)
  if (given.length === 0) return { names: '', imports: '' }
  const pairs = given.map(
    ({ name, value, variable }) =>
      `${JSON.stringify(name)}: ${value === null ? `os.environ[${JSON.stringify(variable)}]` : JSON.stringify(value)}`,
  )
  return {
    names: `\n    default_headers={${pairs.join(', ')}},`,
    imports: given.some(({ value }) => value === null) ? 'import os\n' : '',
  }
}

function javaScriptHeaders(headers: Router['caller_headers']): string {
  const given = forSdk(headers)
  if (given.length === 0) return ''
  const pairs = given.map(
    ({ name, value, variable }) =>
      `${JSON.stringify(name)}: ${value === null ? `${VARIABLES}.${variable}` : JSON.stringify(value)}`,
  )
  return `\n  defaultHeaders: { ${pairs.join(', ')} },`
}
