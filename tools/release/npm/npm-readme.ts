import type { Publishing } from '../source/publishing.ts'

/** The heading from which the SDK's README applies to the npm package too. */
const SAME_EVERYWHERE = '## The messages'
/** The tests over a real bus use packages of the checkout. */
const CHECKOUT_ONLY = /\nThe program, over a real bus:[\s\S]*$/

/** Returns the README of the npm package: its installation and use, then the rules of the checkout's README. */
export function npmReadme(readme: string, names: Publishing): string {
  const begin = readme.indexOf(SAME_EVERYWHERE)
  if (begin === -1 || !CHECKOUT_ONLY.test(readme)) throw new Error('release: the README of the SDK lacks a heading')
  const rules = readme
    .slice(begin)
    .replace(CHECKOUT_ONLY, '')
    .replaceAll('@llm-gateway/', `${names.npmScope}/`)
    .replaceAll('./word-count.ts', './word-count.js')
  return `${introduction(names)}\n${rules}`
}

function introduction({ npmScope, repository }: Publishing): string {
  return `# ${npmScope}/sdk

A processor of llm-gateway is a program on the gateway's NATS bus. It gets parts of each call to an LLM API and answers with
fields. The fields go into the call's record, and some of them change the call. You write one function; this package does the
rest. It is JavaScript with types; the TypeScript sources are at ${repository}. It needs Node 24 or newer.

\`\`\`sh
npm install ${npmScope}/sdk
\`\`\`

\`word-count.mjs\`:

\`\`\`js
import { noSettings, runProcessor } from '${npmScope}/sdk'

const answer = (fields) => {
  const words = JSON.stringify(fields.get('ingress_payload') ?? '').match(/\\p{L}+/gu) ?? []
  return { word_count: words.length }
}

const definition = { name: 'wordcount', version: '1.0.0', settings: noSettings, create: () => ({ answer }) }
process.exit(await runProcessor(definition, process))
\`\`\`

\`\`\`sh
GATEWAY_HOST=localhost:4222 NATS_TOKEN=… node word-count.mjs
\`\`\`

The gateway calls the processor if a row in \`request.processors\` of \`gl_config.json\` names the processor's subject:

\`\`\`json
[
  {
    "name": "word_count",
    "service_bus_topic": "llm.gl.wordcount",
    "timeout": 1000,
    "async": true,
    "input_fields_include": ["ingress_payload"],
    "output_fields_write": ["word_count"]
  }
]
\`\`\`

Settings are a [zod](https://zod.dev) schema: install zod beside this package if your processor has settings. TypeScript needs
\`@types/node\`.
`
}
