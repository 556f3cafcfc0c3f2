import type { EndpointName } from '@llm-gateway/gui-api'
import { type Answer, type Call, send } from './request.ts'

/** Yields the events of an answer as they arrive. Throws RequestFailure if there is no answer. */
export async function* events<Name extends EndpointName & ('live' | 'try')>(
  name: Name,
  call: Call<Name>,
): AsyncGenerator<Answer<Name>> {
  const { body } = await send(name, call)
  if (body === null) return
  let rest = ''
  for await (const piece of textsOf(body)) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const text = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length))
        .join('\n')
      if (text !== '') yield JSON.parse(text)
    }
  }
}

/** Yields the texts of a body. Safari can't iterate over a stream with `for await`, so a reader is used. */
async function* textsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
