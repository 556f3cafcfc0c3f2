import type { Assembly } from './assembly.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { OutputItems } from './response-output.ts'

const FINAL = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'])

/**
 * Events of a streamed OpenAI response -> the `response` the same call answers unstreamed.
 *
 * The last event carries all of it; of a stream that broke off before, `output` is what its items had become by then.
 */
export class OpenaiResponseAssembly implements Assembly {
  readonly #items = new OutputItems()
  readonly #error = new GrowingObject()
  #response: JsonObject | undefined
  #isFinal = false

  take(data: JsonObject): boolean {
    const { type, response } = data
    if (type === 'error' && this.#response !== undefined) {
      this.#error.fill(data, new Set(['type', 'sequence_number']))
      return true
    }
    if (typeof type !== 'string' || !type.startsWith('response.')) return false
    if (isJsonObject(response) && !this.#isFinal) {
      this.#response = response
      this.#isFinal = FINAL.has(type)
      return true
    }
    return this.#items.take(type, data)
  }

  finish(): JsonObject | undefined {
    if (this.#response === undefined && !this.#items.any) return undefined
    const response = new GrowingObject()
    response.assign(this.#response ?? { object: 'response' })
    // Some compatible servers leave `output` out of the last event; then it is what its items had become, too.
    if (!this.#isFinal || !Array.isArray(response.get('output'))) response.set('output', this.#items.finish())
    const error = this.#error.toObject()
    if (Object.keys(error).length > 0) response.offer('error', isJsonObject(error.error) ? error.error : error)
    return response.toObject()
  }
}
