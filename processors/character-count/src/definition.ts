import { noSettings, type ProcessorDefinition } from '@llm-gateway/sdk'
import { countCharacters } from './count-characters.ts'

/** The processor that says how many characters a payload has (specification, processors; wire, 6). */
export function characterCount(version: string): ProcessorDefinition<object> {
  return {
    name: 'charactercount',
    version,
    settings: noSettings,
    create: () => ({
      answer: (fields) => {
        const character_count = countCharacters(fields.get('ingress_payload'))
        return character_count === undefined ? undefined : { character_count }
      },
    }),
  }
}
