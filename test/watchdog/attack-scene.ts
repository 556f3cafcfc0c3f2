import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connectBusClient } from '../fake/bus-client.ts'
import type { GatewayConfig } from '../fake/gateway-file.ts'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import type { AttackTools, GatewayKind } from './attack.ts'
import { type AttackedGateway, startAttackedGateway } from './attacked-gateway.ts'
import { hostileConfig, startHostileProcessors } from './hostile-rows.ts'
import { makeCall } from './make-call.ts'
import { startRawLlm } from './raw-llm.ts'
import { type Neighbour, type RecordTally, startNeighbour, startTally } from './side-processes.ts'

/** The bus, LLM API, neighbour and processors around the attacked gateways. */
export type AttackScene = {
  readonly nats: NatsServer
  readonly neighbour: Neighbour
  readonly tally: RecordTally
  /** Returns the running gateway of a kind, or starts one. */
  gateway(kind: GatewayKind): Promise<AttackedGateway>
  /** Ends the running gateway, so that the next attack gets a new gateway. */
  drop(): Promise<void>
  /** Returns the attack's tools for a gateway; `leave` ends everything that the attack opened. */
  enter(gateway: AttackedGateway, sized: (most: number) => number): { tools: AttackTools; leave(): void }
  close(): Promise<void>
}

const WARM_CALLS = 30
const SMALL_HEAP = ['--max-old-space-size=512']
const SETTINGS: Partial<Readonly<Record<GatewayKind, GatewayConfig>>> = {
  journal: { record: { durability: 'journal' } },
  'short limits': {
    limits: { request_idle_timeout_ms: 2_500, outbound_headers_timeout_ms: 4_000, outbound_timeout_ms: 4_000 },
  },
}

export async function startAttackScene(): Promise<AttackScene> {
  // The bus keeps records like the shipped bus, bounded to a test's disk.
  const nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 2GB' })
  const [llm, neighbour, tally] = await Promise.all([startRawLlm(), startNeighbour(), startTally(nats)])
  const [processors, bus] = await Promise.all([startHostileProcessors(nats), connectBusClient(nats)])
  let running: { kind: GatewayKind; gateway: AttackedGateway } | undefined
  let tags = 0

  const drop = async (): Promise<void> => {
    const ending = running
    running = undefined
    await ending?.gateway.close()
  }
  const gateway = async (kind: GatewayKind): Promise<AttackedGateway> => {
    if (running !== undefined && running.kind === kind && running.gateway.lives) return running.gateway
    await drop()
    const settings = SETTINGS[kind] ?? {}
    const started = await startAttackedGateway({
      config: { ...hostileConfig(neighbour.llmPort, llm.url), ...settings },
      ...(kind === 'no bus' ? {} : { nats }),
      ...(kind === 'small heap' ? { nodeArguments: SMALL_HEAP } : {}),
    })
    running = { kind, gateway: started }
    // The first calls compile and load code that all later calls use.
    const warm = { port: started.process.port, path: '/neighbour/', body: '{}' }
    for (let calls = 0; calls < WARM_CALLS; calls += 1) await makeCall(warm)
    return started
  }
  const enter: AttackScene['enter'] = (attacked, sized) => {
    tags += 1
    const tag = `attack${tags}`
    const sockets = new Set<Socket>()
    const { port } = attacked.process
    const tools: AttackTools = {
      gateway: attacked.process,
      nats,
      bus,
      tally,
      tag,
      sized,
      path: (router) => `${router}${tag}/`,
      answer: (script, how) => llm.answer(tag, script, how),
      reply: (reply) => processors.reply(tag, reply),
      call: makeCall,
      open: (to = port) => openSocket(to, sockets),
      pause: (milliseconds) => pause(milliseconds),
    }
    const leave = (): void => {
      processors.reply(tag, undefined)
      for (const socket of sockets) socket.destroy()
    }
    return { tools, leave }
  }
  return {
    nats,
    neighbour,
    tally,
    gateway,
    drop,
    enter,
    close: async () => {
      await drop()
      await Promise.all([neighbour.stop(), tally.stop(), processors.close(), bus.close(), llm.close()])
      await nats.close()
    },
  }
}

/** Opens a connection. The attack handles resets itself by looking at `destroyed`. */
async function openSocket(port: number, sockets: Set<Socket>): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  sockets.add(socket)
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve())
    socket.once('close', () => resolve())
    socket.on('error', () => socket.destroy())
  })
  return socket
}
