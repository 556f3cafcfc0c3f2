import { anchored, page, plain, table } from './markdown.ts'
import { VARIABLE_GROUPS } from './variable-texts.ts'

/** Writes the page of all environment variables that programs read or shipped files refer to. */
export function variablesPage(): string {
  return page('Environment variables', [
    'Programs read variables once, at their start. Values that change later belong into `SECRETS_DIR`.',
    'Names of references in your own files are yours: `${MY_KEY}` reads `MY_KEY`.',
    ...VARIABLE_GROUPS.flatMap(({ title, about, variables }) => [
      `## ${title}`,
      about,
      table(
        ['Variable', 'Meaning'],
        Object.entries(variables).map(([name, text]) => [anchored(name), plain(text)]),
      ),
    ]),
  ])
}
