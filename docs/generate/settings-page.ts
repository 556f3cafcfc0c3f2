import { jsonSchemas } from '@llm-gateway/conf/editor'
import { STATIC_FIELDS } from '@llm-gateway/gateway/static-fields'
import { anchored, code, page, plain, sentence, table } from './markdown.ts'
import { type SettingRow, schemaRows } from './schema-rows.ts'
import { SECTION_TEXTS } from './section-texts.ts'
import { sectionsOf } from './sections.ts'

type FilePage = { readonly title: string; readonly about: readonly string[]; readonly reload: Reload }
/** Returns when a change of the setting at a path takes effect, for the page. */
type Reload = (path: string) => string

/** Most programs are restarted by the supervisor when their file changes. */
const bySupervisor: Reload = () => 'restart'
/** The settings that the web interface reads again every two seconds. */
const GUI_LIVE_FIELDS: ReadonlySet<string> = new Set(['secret', 'kubernetes.namespaces'])
const SUPERVISOR_RESTARTS =
  'A change needs a restart of the program. In the all-in-one the supervisor restarts the program when the file changes. On Kubernetes the operator replaces the pod.'

export const PAGES: Readonly<Record<string, FilePage>> = {
  gl_config: {
    title: 'gl_config.json: the gateway',
    about: [
      'The gateway reads this file. The rules for references, rejection and reload stand in [Configuration rules](configuration-rules.md).',
      'The last column says when a change takes effect. `live`: the gateway takes the change over without a restart and without dropping a call. `restart`: the gateway names the setting in a WARN and keeps the old value until it is restarted.',
    ],
    reload: (path) => (isStatic(path) ? 'restart' : 'live'),
  },
  gui_config: {
    title: 'gui_config.json: the web interface',
    about: [
      SUPERVISOR_RESTARTS,
      'The last column says when a change takes effect. `live`: a running web interface takes the change over within seconds. The supervisor restarts it all the same.',
    ],
    reload: (path) => (GUI_LIVE_FIELDS.has(path) ? 'live' : 'restart'),
  },
  nats2file_config: {
    title: 'nats2file_config.json and nats2log_config.json: sinks',
    about: [
      'The sinks nats2file and nats2log are the same program, started twice with different files. Each file has this form and names one target, to which the sink sends records. [Kept records](kept-records.md) says how a sink delivers records.',
      SUPERVISOR_RESTARTS,
    ],
    reload: bySupervisor,
  },
  tokencounter_config: {
    title: 'tokencounter_config.json: the token counter',
    about: [
      'The token counter counts tokens and answers 429 once a cap is used up; see [Processors](processors.md#token-counter).',
      SUPERVISOR_RESTARTS,
    ],
    reload: bySupervisor,
  },
  ginit_config: {
    title: 'ginit_config.json: the supervisor of the all-in-one',
    about: [
      'The supervisor starts the services in the order of this file. It reads the file once, at its start, so a change needs a restart of the supervisor.',
    ],
    reload: bySupervisor,
  },
}

/** Returns a page for each configuration file with a schema, by its file in docs/reference. */
export function settingsPages(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(PAGES).map(([file, { title, about, reload }]) => {
      const parts = sectionsOf(settingsOf(file)).flatMap(({ name, rows }) => [
        name === '' ? '## Top-level settings' : `## ${code(name)}`,
        SECTION_TEXTS[file]?.[name] ?? '',
        table(
          ['Setting', 'Meaning', 'Type and range', 'Default', 'Takes effect'],
          rows.map((row) => [
            row.path === name ? code(row.path) : anchored(row.path),
            plain(sentence(row.description)),
            row.type,
            row.required ? 'required' : shownDefault(row.defaultValue, file),
            reload(row.path),
          ]),
        ),
      ])
      return [`${file.replaceAll('_', '-')}.md`, page(title, [...about, ...parts])]
    }),
  )
}

/** Returns the settings of a file that hold a value, without objects. */
export function settingsOf(file: string): readonly SettingRow[] {
  const text = jsonSchemas().get(`${file}.schema.json`)
  if (text === undefined) throw new Error(`conf has no schema of ${file}`)
  return schemaRows(JSON.parse(text)).filter(({ path, type }) => type !== 'object' && !path.endsWith('[]'))
}

function isStatic(path: string): boolean {
  return STATIC_FIELDS.some((field) => path === field || path.startsWith(`${field}.`))
}

const MOST_SHOWN = 160

function shownDefault(text: string | undefined, file: string): string {
  if (text === undefined) return ''
  return text.length > MOST_SHOWN ? `see \`conf/${file}.json\`` : code(text)
}
