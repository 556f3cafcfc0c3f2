/** An INFO names every server of a cluster; a longer line is no bus's. */
const LONGEST_LINE_BYTES = 256 * 1024

/** Cuts what a bus says into its lines; holds at most one unfinished line. */
export class ServerLines {
  #rest = ''

  /** Complete lines without their ends; undefined when a line is too long to be one. */
  take(bytes: Buffer): readonly string[] | undefined {
    const text = this.#rest + bytes.toString('latin1')
    const lines = text.split('\r\n')
    this.#rest = lines.pop() ?? ''
    return this.#rest.length > LONGEST_LINE_BYTES ? undefined : lines
  }
}
