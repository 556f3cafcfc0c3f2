import { anchored, page, plain, table } from './markdown.ts'
import { VARIABLE_GROUPS } from './variable-texts.ts'

/** Writes the page of all environment variables that programs read or shipped files refer to. */
export function variablesPage(): string {
  return page('Environment variables', [
    'Programs read variables once, at their start. Put values that change later into files of `SECRETS_DIR`.',
    'In your own files you may refer to variables of any name: `${MY_KEY}` reads the variable `MY_KEY`.',
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
