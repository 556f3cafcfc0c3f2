import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGinitConfig, checkGlConfig, checkGuiConfig, checkSinkConfig } from '@llm-gateway/conf'
import { checkTokenCounterConfig } from '@llm-gateway/conf/editor'
import { createFormJudge, isKindName } from '@llm-gateway/crds'
import { parseAllDocuments } from 'yaml'
import { blocksOf } from './generate/blocks.ts'
import { commandFault, commandsOf, isValue } from './generate/check-commands.ts'
import { isObject } from './generate/values.ts'

const pages = ['../README.md', ...globSync('**/*.md', { cwd: import.meta.dirname, exclude: ['node_modules', 'dist'] })]
  .map(String)
  .sort()
const blocks = pages.flatMap((page) => blocksOf(page, readFileSync(join(import.meta.dirname, page), 'utf8')))
const judgeForm = createFormJudge()

/** A value for every reference, which is also an address: the names in a block are for its reader to set. */
const names = blocks.flatMap(({ text }) => [...text.matchAll(/\$\{([A-Z0-9_]+)\}/g)].map(([, name = '']) => name))
const references = { environment: Object.fromEntries(names.map((name) => [name, 'https://value.example'])) }

type Verdict = readonly string[]
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function fileVerdict(check: {
  readonly kind: string
  readonly validationErrors?: object
  readonly unknownKeys?: readonly string[]
}): Verdict {
  return [...Object.entries(check.validationErrors ?? {}).map(String), ...(check.unknownKeys ?? [])]
}

function glVerdict(text: string): Verdict {
  const check = checkGlConfig(bytes(text), references)
  if (check.kind !== 'checked') return [JSON.stringify(check)]
  const { rejectedFields, unknownKeys } = check.config
  return [...Object.entries(rejectedFields).map(String), ...unknownKeys]
}

const CORE: ReadonlySet<string> = new Set(['Namespace', 'Secret', 'ConfigMap'])

function resourceVerdict(text: string): Verdict {
  const documents = parseAllDocuments(text, { version: '1.1' })
  if (documents.length === 0) return ['nothing stands in it']
  return documents.flatMap((document) => {
    if (document.errors.length > 0) return document.errors.map(String)
    const object: unknown = document.toJS()
    const kind = isObject(object) ? String(object.kind) : ''
    if (isKindName(kind)) return judgeForm(kind, object)
    return CORE.has(kind) ? [] : [`unknown kind ${kind}`]
  })
}

function valuesVerdict(text: string): Verdict {
  const [document] = parseAllDocuments(text)
  const paths = pathsOf(document?.toJS(), [])
  return paths.length === 0 ? ['nothing stands in it'] : paths.filter((path) => !isValue(path)).map(String)
}

function pathsOf(value: unknown, at: readonly string[]): readonly (readonly string[])[] {
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...at, name])) : [at]
}

function parses(text: string): Verdict {
  JSON.parse(text)
  return []
}

function parsesEvents(text: string): Verdict {
  const lines = text.split('\n').filter((line) => line !== '')
  for (const line of lines) if (line.startsWith('data: ')) JSON.parse(line.slice('data: '.length))
  return lines.filter((line) => !/^(?:event: \w+|data: .+)$/.test(line))
}

function parsesTypes(text: string): Verdict {
  stripTypeScriptTypes(text)
  return []
}

function parsesYaml(text: string): Verdict {
  return parseAllDocuments(text).flatMap((document) => document.errors.map(String))
}

/** The kinds of a block's fence and their checks. */
const JUDGES: Readonly<Record<string, (text: string) => Verdict>> = {
  'json gl_config': glVerdict,
  'json nats2log_config': (text) => fileVerdict(checkSinkConfig(bytes(text), references)),
  'json tokencounter_config': (text) => fileVerdict(checkTokenCounterConfig(bytes(text), references)),
  'json gui_config': (text) => fileVerdict(checkGuiConfig(bytes(text), references)),
  'json ginit_config': (text) => fileVerdict(checkGinitConfig(bytes(text), references)),
  // generate/coverage.test.ts compares these with the gateway's golden.
  'json record': parses,
  'json message': parses,
  'json payload': parses,
  'json example': parses,
  // web-api-examples.test.ts compares these with real answers.
  'events example': parsesEvents,
  // Formats of other products: only their syntax is checked.
  'json foreign': parses,
  'yaml foreign': parsesYaml,
  'yaml example': parsesYaml,
  'yaml resource': resourceVerdict,
  'yaml values': valuesVerdict,
  sh: (text) => commandsOf(text).flatMap((line) => commandFault(line) ?? []),
  dockerfile: (text) => text.split('\n').filter((line) => !/^(?:FROM|WORKDIR|COPY|RUN|ENTRYPOINT) \S/.test(line)),
  js: parsesTypes,
  ts: parsesTypes,
  python: () => [],
  mermaid: (text) => (/^(?:flowchart (?:LR|TD)|sequenceDiagram)\n/.test(text) ? [] : ['no diagram']),
}

test('every block of the documentation says what it holds and is judged by its own check', () => {
  assert.ok(blocks.length > 80, String(blocks.length))
  const faults = blocks.flatMap(({ page, line, kind, text }) => {
    const judge = JUDGES[kind]
    const verdict = judge === undefined ? [`no check is called "${kind}"`] : judge(text)
    return verdict.map((fault) => `${page}:${line} ${fault}`)
  })
  assert.deepEqual(faults, [])
})

for (const { kind, text } of [
  { kind: 'json gl_config', text: '{"gl_prot": 1}' },
  { kind: 'json gl_config', text: '{"gl_port": "x"}' },
  { kind: 'json gl_config', text: '{"routers": [{"path": "/a"}]}' },
  { kind: 'json nats2log_config', text: '{"mode": "s3_writer", "s3_writer": {"url": "http://h", "bucket": "a"}}' },
  { kind: 'json tokencounter_config', text: '{"cap_period_seconds": 0}' },
  { kind: 'json gui_config', text: '{"gui_port": -1}' },
  { kind: 'json ginit_config', text: '{"services": []}' },
  {
    kind: 'yaml resource',
    text: 'apiVersion: llmgateway.io/v1alpha1\nkind: Router\nmetadata: {name: a}\nspec: {pathh: /a/}',
  },
  { kind: 'yaml resource', text: 'kind: Rooter' },
  { kind: 'yaml values', text: 'imagee: {}' },
  { kind: 'sh', text: 'make runn' },
  { kind: 'sh', text: 'make records FIELDS=a' },
  { kind: 'sh', text: 'kubectl get routters' },
  { kind: 'sh', text: 'kubectl aply -f examples/kubernetes/first-router.yaml' },
  { kind: 'sh', text: 'kubectl apply -f examples/kubernetes/frist-router.yaml' },
  { kind: 'sh', text: 'helm install a charts/llm-gateway --set demo.enabledd=true' },
  { kind: 'sh', text: 'node operator/src/main.ts render DIR --outputs OUT' },
  { kind: 'sh', text: 'node operator/src/mian.ts' },
  { kind: 'sh', text: 'kubctl get pods' },
  { kind: 'sh', text: 'TAG=$(curll -s http://localhost | field tag)' },
  { kind: 'events example', text: 'event head' },
]) {
  test(`a fault is found: ${text.replaceAll('\n', ' ')}`, () => {
    assert.notDeepEqual(JUDGES[kind]?.(text), [])
  })
}
