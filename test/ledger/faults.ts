import type { NatsServer } from '../fake/nats-server.ts'
import type { TcpProxy } from '../fake/tcp-proxy.ts'
import type { Random } from '../operator/random.ts'

/** The parts that faults break, with calls going on meanwhile. */
export type FaultScene = {
  readonly nats: NatsServer
  /** The proxy between gateway and bus. */
  readonly bus: TcpProxy
  readonly random: Random
  /** Waits until `count` more calls were answered. */
  more(count: number): Promise<void>
  /** Ends the gateway with a signal and starts another gateway. */
  replaceGateway(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export type Fault = { readonly name: string; readonly happen: (scene: FaultScene) => Promise<void> }

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const busKilled: Fault = {
  name: 'the bus is killed and started again',
  happen: async ({ nats, random, more }) => {
    await nats.kill('SIGKILL')
    await more(random.below(150))
    await nats.restart()
  },
}

const busStopped: Fault = {
  name: 'the bus stands still',
  happen: async ({ nats, random, more }) => {
    await nats.kill('SIGSTOP')
    await Promise.all([more(random.below(150)), pause(random.below(1_500))])
    await nats.kill('SIGCONT')
  },
}

const busStoppedLong: Fault = {
  name: 'the bus stands still longer than an answer may take',
  happen: async ({ nats, more }) => {
    await nats.kill('SIGSTOP')
    await Promise.all([more(100), pause(6_500)])
    await nats.kill('SIGCONT')
  },
}

const busEnded: Fault = {
  name: 'the bus is ended and started again',
  happen: async ({ nats, random, more }) => {
    await nats.stop()
    await more(random.below(100))
    await nats.restart()
  },
}

const connectionCut: Fault = {
  name: 'the connections to the bus are cut',
  happen: async ({ bus, random, more }) => {
    for (let cuts = 1 + random.below(3); cuts > 0; cuts -= 1) {
      bus.cut()
      await more(random.below(20))
    }
  },
}

const connectionSilent: Fault = {
  name: 'the connections to the bus pass nothing and are then cut',
  happen: async ({ bus, random, more }) => {
    bus.hold()
    await more(random.below(150))
    if (random.chance(0.5)) bus.cut()
    bus.resume()
  },
}

const gatewayEnded: Fault = {
  name: 'the gateway is ended and another gateway is started',
  happen: (scene) => scene.replaceGateway('SIGTERM'),
}

const gatewayEndedWithoutBus: Fault = {
  name: 'the gateway is ended while the bus is away',
  happen: async (scene) => {
    await scene.nats.kill('SIGKILL')
    await scene.more(50)
    await scene.replaceGateway('SIGTERM')
    await scene.more(20)
    await scene.nats.restart()
  },
}

const gatewayKilled: Fault = {
  name: 'the gateway is killed',
  happen: (scene) => scene.replaceGateway('SIGKILL'),
}

const gatewayKilledWithoutBus: Fault = {
  name: 'the gateway is killed while the bus stands still',
  happen: async (scene) => {
    await scene.nats.kill('SIGSTOP')
    await scene.more(scene.random.below(100))
    await scene.replaceGateway('SIGKILL')
    await scene.nats.kill('SIGCONT')
  },
}

/** Faults that durability `outage` survives; it promises nothing for a killed gateway. */
export const OUTAGE_FAULTS: readonly Fault[] = [
  busKilled,
  busStopped,
  busEnded,
  connectionCut,
  connectionSilent,
  gatewayEnded,
  gatewayEndedWithoutBus,
  busStoppedLong,
]

/** Faults that only durability `journal` survives. */
export const GATEWAY_KILLED: readonly Fault[] = [gatewayKilled, gatewayKilledWithoutBus]

/** Faults that distinguish the two durabilities. */
export const SHORT_JOURNAL_FAULTS: readonly Fault[] = [gatewayKilledWithoutBus, gatewayEndedWithoutBus, gatewayKilled]
