import { Events, type NatsConnection } from 'nats'

export type LinkState = 'lost' | 'back' | 'gone'

/**
 * The state of the connection to the bus. The client would queue requests of a lost connection and send them late, so
 * none are made then.
 */
export class BusLink {
  readonly connection: NatsConnection
  readonly #followers = new Set<(state: LinkState) => void>()
  /** Callers that wait for an answer; a lost connection ends their wait. */
  readonly #waiting = new Set<() => void>()
  #connected: boolean

  constructor(connection: NatsConnection) {
    this.connection = connection
    this.#connected = !connection.isClosed()
    // Ends with the connection; the client's status iterator never rejects.
    void this.#followStatus()
  }

  get connected(): boolean {
    return this.#connected
  }

  /** Returns the value of `asked`, or `lost` as soon as the connection is lost. `asked` must not reject. */
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

  /** Registers a listener for each loss and each return of the connection; `gone`: closed for good. */
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
