/** The upstream's answer to every chat request: a fixed chat completion of about 0.5 KB. */
export const COMPLETION = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_763_690_400,
  model: 'gpt-4',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: {
        role: 'assistant',
        content:
          'Both contracts run for 24 months. The first names a fee of 1,200 USD a month, net; the second is silent about it.\n\nThe clause "Term" differs in one word only, and neither says what happens at the end.',
      },
    },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 46, total_tokens: 166 },
  system_fingerprint: 'fp_bench',
})

export const SSE_PATH_MARK = '/sse/'

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_763_690_400, model: 'gpt-4', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

export const FIRST_EVENT = chunk({ role: 'assistant', content: 'Both' }, null)
export const LATER_EVENTS = [
  ...' contracts run for 24 months.'.split(/(?= )/).map((content) => chunk({ content }, null)),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
].join('')
/** Pause between the first event and the others, which reveals a proxy that waits for the end. */
export const SSE_PAUSE_MS = 20
