import { Events, type NatsConnection } from 'nats'

export type LinkState = 'lost' | 'back' | 'gone'

/** Whether the bus can be reached. The client keeps what is asked meanwhile and sends it late: nothing is to be asked then. */
export class KeyValueLink {
  readonly connection: NatsConnection
  readonly #followers = new Set<(state: LinkState) => void>()
  /** Those that wait for an answer: when the connection is lost none will come. */
  readonly #waiting = new Set<() => void>()
  #connected: boolean

  constructor(connection: NatsConnection) {
    this.connection = connection
    this.#connected = !connection.isClosed()
    // Ends with the connection and has no failure of its own.
    void this.#followStatus()
  }

  get connected(): boolean {
    return this.#connected
  }

  /** What `asked` gives; `lost` as soon as the connection is. `asked` doesn't reject. */
  async whileConnected<Value>(asked: () => Promise<Value>, lost: Value): Promise<Value> {
    if (!this.#connected) return lost
    const { promise, resolve } = Promise.withResolvers<Value>()
    const end = (): void => resolve(lost)
    this.#waiting.add(end)
    void asked().then(resolve)
    const value = await promise
    this.#waiting.delete(end)
    return value
  }

  /** Tells each loss of the connection and each return; `gone` when it is closed for good. */
  follow(changed: (state: LinkState) => void): void {
    this.#followers.add(changed)
  }

  async #followStatus(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) this.#change(false, 'lost')
      if (type === Events.Reconnect) this.#change(true, 'back')
    }
    await this.connection.closed()
    this.#change(false, 'gone')
  }

  #change(connected: boolean, state: LinkState): void {
    this.#connected = connected
    for (const lost of this.#waiting) lost()
    for (const changed of this.#followers) changed(state)
  }
}
