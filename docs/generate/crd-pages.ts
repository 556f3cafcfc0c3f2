import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { anchored, code, page, plain, table } from './markdown.ts'
import { type SettingRow, schemaRows } from './schema-rows.ts'
import { sectionsOf } from './sections.ts'
import { isObject } from './values.ts'

const MANIFESTS = join(import.meta.dirname, '../../crds/manifests')
const KINDS = { LLMGateway: 'llmgateways', Router: 'routers', Processor: 'processors' }
export type Kind = keyof typeof KINDS

const ABOUT: Readonly<Record<Kind, string>> = {
  LLMGateway:
    'An LLMGateway is a gateway: its pods, its bus, the Routers that it admits, shared variables, targets of records.',
  Router: 'A Router is a path of a gateway: headers that callers must send, the LLM API, the key.',
  Processor: 'A Processor is a program on the bus of a gateway: a shipped type or an image of your own.',
}

/** The changes of each kind that replace pods. */
const REPLACED_PODS = {
  LLMGateway:
    'A change of one of these fields replaces pods: `image`, `env`, `bus`, `tls`, `pod`, `record.stream`, `record.durability`, `record.whenFull`, `record.waitMilliseconds`, `record.spool`, `limits.drainDelaySeconds`, `limits.drainSeconds`. A change of a sink or of `webInterface` replaces the pods of that sink or of the web interface. Other changes replace no pods.',
  Router: 'No change of a Router replaces pods.',
  Processor:
    'A change of the image, `env`, `resources` or the settings of the type replaces the pods of the Processor. Other changes replace no pods.',
}

/** Returns a page for each kind, by its file in docs/reference. */
export function crdPages(): ReadonlyMap<string, string> {
  return new Map(
    (['LLMGateway', 'Router', 'Processor'] as const).map((kind) => {
      const fields = crdFields(kind)
      return [
        `crd-${kind.toLowerCase()}.md`,
        page(`${kind} fields`, [
          `${ABOUT[kind]} The rules stand on [Kubernetes](kubernetes.md). \`kubectl explain ${kind.toLowerCase()}.spec\` shows the same texts.`,
          `A change of \`spec\` takes effect at once. ${REPLACED_PODS[kind]}`,
          '## Spec',
          ...sectionParts(fields, 'spec'),
          '## Status',
          ...sectionParts(fields, 'status'),
        ]),
      ]
    }),
  )
}

/** Returns the headings and tables of the fields below `spec` or `status`. */
function sectionParts(fields: readonly SettingRow[], top: string): readonly string[] {
  const below = fields
    .filter(({ path }) => path.startsWith(`${top}.`))
    .map((row) => ({ ...row, path: row.path.slice(top.length + 1) }))
  return sectionsOf(below).flatMap(({ name, rows }) => [
    name === '' ? '' : `### ${code(`${top}.${name}`)}`,
    table(
      ['Field', 'Meaning', 'Type and range', 'Default'],
      rows.map(({ path, description, type, required, defaultValue }) => [
        anchored(path, top),
        plain(description),
        type,
        required ? 'required' : code(defaultValue ?? ''),
      ]),
    ),
  ])
}

/** Returns all fields with a description, in the order of the schema. */
export function crdFields(kind: Kind): readonly SettingRow[] {
  const file = join(MANIFESTS, `llmgateway.io_${KINDS[kind]}.yaml`)
  return schemaRows(schemaOf(parse(readFileSync(file, 'utf8')))).filter(
    ({ path }) => !path.endsWith('[]') && /^(spec|status)\./.test(path),
  )
}

function schemaOf(manifest: unknown): unknown {
  const spec = isObject(manifest) ? manifest.spec : undefined
  const versions: unknown = isObject(spec) ? spec.versions : undefined
  const [version]: readonly unknown[] = Array.isArray(versions) ? versions : []
  const schema = isObject(version) ? version.schema : undefined
  return isObject(schema) ? schema.openAPIV3Schema : undefined
}
