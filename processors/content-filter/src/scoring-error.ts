/** Why a text could not be scored; the code is a constant, nothing of the text, an address or a key is in it. */
export class ScoringError extends Error {
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super('text not scored', options)
    this.name = 'ScoringError'
    this.code = code
  }
}
