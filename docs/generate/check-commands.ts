import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from './values.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Kinds that pages name, with their short names. */
const RESOURCES: ReadonlySet<string> = new Set(
  'crds rolebinding llmgateway llmgateways llmgw router routers rt processor processors deployment deployments deploy statefulset service secret configmap namespace namespaces pods pod events node clusterrole clusterroles clusterrolebinding validatingadmissionpolicy validatingadmissionpolicybinding'.split(
    ' ',
  ),
)
const KUBECTL: ReadonlySet<string> = new Set(
  'annotate apply create delete describe exec get label logs patch port-forward rollout set wait explain scale'.split(
    ' ',
  ),
)
const HELM: ReadonlySet<string> = new Set(['install', 'upgrade', 'uninstall', 'rollback', 'test', 'template'])
/** Foreign programs, of which only the name is checked. */
const FOREIGN: ReadonlySet<string> = new Set([
  'cosign',
  'curl',
  'docker',
  'gh',
  'export',
  'field',
  'set',
  'cd',
  'cp',
  'git',
  'kind',
  'minikube',
  'npm',
  'python3',
  'sha256sum',
  'venv/bin/pip',
  'venv/bin/python',
  'go',
  '.',
])
const FOLDERS = /^(?:charts|conf|crds|docs|examples|operator|processors|tools|gateway)\//

/** Returns the reason why a line of a shell block can't run; undefined if its files and names exist. */
export function commandFault(line: string): string | undefined {
  const words = wordsOf(line)
  const paths = words.filter((word) => FOLDERS.test(word) && !existsSync(join(ROOT, word.replace(/[?#].*$/, ''))))
  if (paths.length > 0) return `no such file: ${paths.join(', ')}`
  const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)))
  if (program === 'make') return makeFault(rest)
  if (program === 'kubectl') return kubectlFault(rest)
  if (program === 'helm') return helmFault(rest)
  if (program === 'node' || program === '.tools/bin/node') return nodeFault(rest)
  const isFunction = program.endsWith('()')
  return isFunction || FOREIGN.has(program) || words.every((word) => /^[A-Z_]+=/.test(word))
    ? undefined
    : `unknown program: ${program}`
}

/**
 * Returns the commands of a shell block, with continued lines joined, and without comments and the part behind a pipe.
 */
export function commandsOf(text: string): readonly string[] {
  const whole = text.replaceAll(/\\\n\s*/g, ' ')
  const lines = joinQuotes(whole.split('\n'))
  return lines
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .flatMap((line) => line.split(/ (?:&&|\|\||\|) /))
    .map((line) => line.replace(/ &$/, '').replace(/^[A-Z_]+=\$\(/, ''))
}

/** Joins the lines of quoted texts. */
function joinQuotes(lines: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (const line of lines) {
    const last = joined.at(-1) ?? ''
    const isOpen = (last.split("'").length - 1) % 2 === 1
    if (isOpen) joined[joined.length - 1] = `${last} ${line}`
    else joined.push(line)
  }
  return joined
}

function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  return words.map((word) => word.replaceAll(/['"]/g, ''))
}

function makeFault(rest: readonly string[]): string | undefined {
  const text = readFileSync(join(ROOT, 'Makefile'), 'utf8')
  const targets = new Set([...text.matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name))
  const settings = new Set([...text.matchAll(/^(?:export )?([A-Z_]+) \?=/gm)].map(([, name]) => name))
  const bad = rest.filter((word) =>
    /^[A-Z_]+=/.test(word) ? !settings.has(word.slice(0, word.indexOf('='))) : !targets.has(word),
  )
  return bad.length === 0 ? undefined : `make has no ${bad.join(', ')}`
}

function kubectlFault(rest: readonly string[]): string | undefined {
  const plain = withoutFlags(rest, ['-n', '-f', '-o', '-l'])
  const [verb = '', ...objects] = plain
  if (!KUBECTL.has(verb)) return `kubectl has no ${verb}`
  if (verb === 'apply' || verb === 'explain' || rest.includes('-f')) return undefined
  const [first = ''] = verb === 'rollout' || verb === 'set' ? objects.slice(1) : objects
  const kinds = first.split('/')[0]?.split(',') ?? []
  const bad = kinds.filter((kind) => !RESOURCES.has(kind))
  return bad.length === 0 || verb === 'logs' ? undefined : `unknown kind: ${bad.join(', ')}`
}

function helmFault(rest: readonly string[]): string | undefined {
  const [verb = ''] = withoutFlags(rest, ['-n', '-f', '--set'])
  if (!HELM.has(verb)) return `helm has no ${verb}`
  const sets = rest.flatMap((word, at) => (rest[at - 1] === '--set' ? [word.split('=')[0] ?? ''] : []))
  const bad = sets.filter((path) => !isValue(path.split('.')))
  return bad.length === 0 ? undefined : `the chart has no value ${bad.join(', ')}`
}

/** Returns whether the chart's schema has a value. */
export function isValue(path: readonly string[]): boolean {
  const schema: unknown = JSON.parse(readFileSync(join(ROOT, 'charts/llm-gateway/values.schema.json'), 'utf8'))
  let node: unknown = schema
  for (const name of path) {
    const properties = isObject(node) ? node.properties : undefined
    if (!isObject(properties)) return isObject(node)
    if (!Object.hasOwn(properties, name)) return isObject(node) && isObject(node.additionalProperties)
    node = properties[name]
  }
  return true
}

function nodeFault([file = '', ...rest]: readonly string[]): string | undefined {
  // A bare name is a file that the page has the reader write.
  if (!file.includes('/')) return undefined
  if (!existsSync(join(ROOT, file))) return `no such program: ${file}`
  if (file !== 'operator/src/main.ts') return undefined
  const help = readFileSync(join(ROOT, 'operator/src/command-line.ts'), 'utf8')
  const bad = rest.filter((word) => word.startsWith('--') && !help.includes(word.split('=')[0] ?? ''))
  return bad.length === 0 ? undefined : `operator has no ${bad.join(', ')}`
}

/** Returns a command line without flags and their values. */
function withoutFlags(words: readonly string[], valued: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) => !word.startsWith('-') && !valued.concat('--namespace').includes(words[at - 1] ?? ''),
  )
}
