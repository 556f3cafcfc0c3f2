import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export type UsedPort = {
  readonly port: number
  /** The file that sets the port. */
  readonly file: string
  readonly key: string
  /** Names the settings that have to change with the port. */
  readonly note?: string
}

const GATEWAY_PORT = 5380
const BUS_PORT = 4222
const GUI_PORT = 8080

/** Returns the port for callers in a configuration folder. */
export function gatewayPort(configuration: string): number {
  return numberIn(join(configuration, 'gl_config.json'), /"gl_port"\s*:\s*"?(\d+)/) ?? GATEWAY_PORT
}

/** Returns the port of the web interface in a configuration folder. */
export function guiPort(configuration: string): UsedPort {
  const file = join(configuration, 'gui_config.json')
  return { port: numberIn(file, /"gui_port"\s*:\s*"?(\d+)/) ?? GUI_PORT, file, key: 'gui_port' }
}

/** Returns the port of the bus in a configuration folder. */
export function busPort(configuration: string): number {
  return (
    numberIn(join(configuration, 'nats-server.conf'), /^\s*(?:port|listen)\s*[:=]?\s*"?(?:[^"\s#]*:)?(\d+)/m) ??
    BUS_PORT
  )
}

/** Returns the ports without which nothing can start; the bus's only when the configuration starts a bus. */
export function neededPorts(configuration: string): readonly UsedPort[] {
  const gateway = { port: gatewayPort(configuration), file: join(configuration, 'gl_config.json'), key: 'gl_port' }
  const bus = {
    port: busPort(configuration),
    file: join(configuration, 'nats-server.conf'),
    key: 'listen',
    note: BUS_NOTE,
  }
  return startsBus(configuration) ? [gateway, bus] : [gateway]
}

const BUS_NOTE = `With another port of the bus, change the address of the bus in the same folder, too: service_bus.hostname of each
file *_config.json. Set GATEWAY_HOST to that address for \`make records\`. To use a bus that is already running, remove
nats-server from ginit_config.json and set NATS_TOKEN to the token of that bus.`

/** Returns the message for ports that other programs use: the file of each port, and what to change. */
export function takenPortsMessage(taken: readonly UsedPort[], shown: (path: string) => string): string {
  const lines = taken.map((used) => takenPortMessage(used, shown))
  const notes = taken.flatMap(({ note }) => note ?? [])
  return [...lines, 'Stop that program, or set another port in the file.', ...notes].join('\n')
}

export function takenPortMessage({ port, file, key }: UsedPort, shown: (path: string) => string): string {
  return `port ${port} is in use by another program (${key} in ${shown(file)})`
}

function startsBus(configuration: string): boolean {
  const file = join(configuration, 'ginit_config.json')
  return !existsSync(file) || /"file"\s*:\s*"[^"]*nats-server"/.test(readFileSync(file, 'utf8'))
}

/** Returns those of the ports that another program listens on. */
export async function takenPorts(ports: readonly UsedPort[]): Promise<readonly UsedPort[]> {
  const free = await Promise.all(ports.map(({ port }) => isFree(port)))
  return ports.filter((_, index) => free[index] === false)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '0.0.0.0')
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  const found = existsSync(file) ? pattern.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return found === undefined ? undefined : Number(found)
}
