import { inspect } from 'node:util'
import { MASKED } from '@llm-gateway/protocol'

/** A value that may be sent but never shown: every way to print it gives the mask (docs/reference/record.md#masks). */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** Returns the value; called only where the value is sent. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASKED
  }

  toJSON(): string {
    return MASKED
  }

  [inspect.custom](): string {
    return MASKED
  }
}
