/** The most PONGs that wait to be sent: a server that sends PINGs without reading must not fill this process with them. */
const MAX_OWED = 1_000

/** The answers to a server's PINGs. */
export class Pongs {
  readonly #write: (text: string, sent: () => void) => void
  #owed = 0
  #isSending = false

  /** `write` calls `sent` once the text has left. */
  constructor(write: (text: string, sent: () => void) => void) {
    this.#write = write
  }

  owe(): void {
    if (this.#owed < MAX_OWED) this.#owed += 1
  }

  /** Sends the owed PONGs, once those before have left. */
  send(): void {
    if (this.#isSending || this.#owed === 0) return
    const text = 'PONG\r\n'.repeat(this.#owed)
    this.#owed = 0
    this.#isSending = true
    this.#write(text, () => {
      this.#isSending = false
      this.send()
    })
  }
}
