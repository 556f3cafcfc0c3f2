export type Preset = {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly url: string
  readonly header: readonly [name: string, value: string] | undefined
}

/** LLM APIs that routers are often made for. Keys are references, never values. */
export const PRESETS = [
  {
    id: 'base',
    name: 'The gateway’s LLM API (AISERVICE_API_BASE)',
    path: '/chat/',
    url: '${AISERVICE_API_BASE}',
    header: ['Api-Key', '${AISERVICE_API_KEY}'],
  },
  {
    id: 'openai',
    name: 'OpenAI',
    path: '/openai/',
    url: 'https://api.openai.com/',
    header: ['Authorization', 'Bearer ${OPENAI_API_KEY}'],
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    path: '/anthropic/',
    url: 'https://api.anthropic.com/',
    header: ['X-Api-Key', '${ANTHROPIC_API_KEY}'],
  },
  {
    id: 'azure',
    name: 'Azure OpenAI',
    path: '/azure/',
    url: 'https://RESOURCE.openai.azure.com/openai/',
    header: ['Api-Key', '${AZURE_OPENAI_API_KEY}'],
  },
  { id: 'other', name: 'Another address', path: '/my-router/', url: 'https://', header: undefined },
] as const satisfies readonly Preset[]
