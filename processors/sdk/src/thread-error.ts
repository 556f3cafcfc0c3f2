/** Why a thread gave no answer: its own failure's name, code and place, or one of our codes. Nothing of a message is in it. */
export class ThreadError extends Error {
  readonly code: string
  /** The line of code that a failure inside of the thread came from: `count-tokens.ts:12`. */
  readonly at: string | undefined

  constructor({ code, name = 'ThreadError', at }: ThreadFailure) {
    super('no answer of a thread')
    this.name = name
    this.code = code
    this.at = at
  }
}

export type ThreadFailure = { readonly code: string; readonly name?: string; readonly at?: string }
