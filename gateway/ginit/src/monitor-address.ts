export type Monitor = {
  /** Takes each line of the bus; after a start the first line with an address counts. */
  line(text: string): void
  /** Forgets the address: at each start the bus may choose another port. */
  start(): void
  readonly address: URL | undefined
}

/** Follows the address of the bus's monitoring port. */
export function createMonitor(): Monitor {
  let address: URL | undefined
  return {
    line: (text) => {
      address ??= monitorAddress(text)
    },
    start: () => {
      address = undefined
    },
    get address() {
      return address
    },
  }
}

// Clients without a login write parts of nats-server's lines, such as the user name of a failed login. So the line must
// begin with nats-server's own head. The time is missing with `logtime: false`.
const MONITOR_LINE = /^\[\d+\] (?:\d{4}\/\d\d\/\d\d [\d:.]+ )?\[INF\] Starting http monitor on (\S+):(\d+)(?:\/\S*)?$/
/** The addresses at which a server of this machine is asked, by the host names of the line. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['localhost', 'localhost'],
  ['[::1]', '[::1]'],
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
])
const LOOPBACK = /^127\.\d+\.\d+\.\d+$/

/** Reads the address of the bus's monitoring port from a line of the bus; undefined for other lines and machines. */
export function monitorAddress(line: string): URL | undefined {
  const [, name = '', port] = MONITOR_LINE.exec(line) ?? []
  const host = LOOPBACK.test(name) ? name : HOSTS.get(name)
  return host === undefined ? undefined : (URL.parse(`http://${host}:${port}`) ?? undefined)
}
