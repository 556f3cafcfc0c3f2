import type { SmallDisk } from '../fake/small-disk.ts'
import { type FaultScene, OUTAGE_FAULTS, pause } from './faults.ts'
import type { LedgerSinks, Restartable } from './ledger-sinks.ts'

export type LongScene = FaultScene & {
  readonly sinks: LedgerSinks
  /** The disk of the gateway's spool. */
  readonly spoolDisk: SmallDisk
  /** The disk of the file sink. */
  readonly fileDisk: SmallDisk
  signalGateway(signal: 'SIGSTOP' | 'SIGCONT'): void
}

type LongFault = { readonly name: string; readonly happen: (scene: LongScene) => Promise<void> }

const LONGEST_MS = 3_000

async function killAndRestart(one: Restartable, { random, more }: LongScene): Promise<void> {
  await one.kill(random.chance(0.7) ? 'SIGKILL' : 'SIGTERM')
  await Promise.all([more(random.below(200)), pause(random.below(LONGEST_MS))])
  await one.start()
}

async function stopAndResume(one: Restartable, { random, more }: LongScene): Promise<void> {
  await one.kill('SIGSTOP')
  await Promise.all([more(random.below(200)), pause(random.below(LONGEST_MS))])
  await one.kill('SIGCONT')
}

const sinkKilled: LongFault = {
  name: 'a sink is killed or ended, and started again',
  happen: (scene) => killAndRestart(scene.random.pick(scene.sinks.all).sink, scene),
}

const sinkStopped: LongFault = {
  name: 'a sink stands still',
  happen: (scene) => stopAndResume(scene.random.pick(scene.sinks.all).sink, scene),
}

const sinksCut: LongFault = {
  name: "the sinks' connections to the bus are cut, or pass nothing",
  happen: async ({ sinks, random, more }) => {
    if (random.chance(0.5)) return sinks.bus.cut()
    sinks.bus.hold()
    await Promise.all([more(random.below(200)), pause(random.below(LONGEST_MS))])
    if (random.chance(0.5)) sinks.bus.cut()
    sinks.bus.resume()
  },
}

const targetKilled: LongFault = {
  name: 'a target is killed or ended, and started again',
  happen: async (scene) => {
    const targets = scene.sinks.all.flatMap(({ target }) => target ?? [])
    await killAndRestart(scene.random.pick(targets), scene)
  },
}

const targetSilent: LongFault = {
  name: 'a target is cut off, or silent',
  happen: async ({ sinks, random, more }) => {
    const proxy = random.pick(sinks.all.flatMap(({ proxy }) => proxy ?? []))
    if (random.chance(0.5)) return proxy.cut()
    proxy.hold()
    await Promise.all([more(random.below(200)), pause(random.below(LONGEST_MS))])
    if (random.chance(0.5)) proxy.cut()
    proxy.resume()
  },
}

const everythingKilled: LongFault = {
  name: 'the bus, a sink and its target are killed at once',
  happen: async (scene) => {
    const { sink, target } = scene.random.pick(scene.sinks.all)
    await Promise.all([scene.nats.kill('SIGKILL'), sink.kill('SIGKILL'), target?.kill('SIGKILL')])
    await scene.more(scene.random.below(100))
    await Promise.all([scene.nats.restart(), sink.start(), target?.start()])
  },
}

const gatewayStopped: LongFault = {
  name: 'the gateway stands still',
  happen: async ({ random, signalGateway, more }) => {
    signalGateway('SIGSTOP')
    await pause(random.below(LONGEST_MS))
    signalGateway('SIGCONT')
    await more(20)
  },
}

/** Calls are refused meanwhile, once memory is full too. */
const spoolDiskFull: LongFault = {
  name: "the spool's disk is full while the bus stands still",
  happen: async ({ spoolDisk, nats, random }) => {
    await nats.kill('SIGSTOP')
    spoolDisk.fill()
    await pause(1_000 + random.below(LONGEST_MS))
    spoolDisk.free()
    if (random.chance(0.5)) await pause(1_000)
    await nats.kill('SIGCONT')
  },
}

const fileDiskFull: LongFault = {
  name: "the file sink's disk is full",
  happen: async ({ fileDisk, random, more }) => {
    fileDisk.fill()
    await Promise.all([more(random.below(200)), pause(random.below(LONGEST_MS))])
    fileDisk.free()
  },
}

const fileFolderGone: LongFault = {
  name: "the file sink's folder is gone",
  happen: ({ sinks }) => sinks.moveFolder(),
}

export const LONG_FAULTS: readonly LongFault[] = [
  ...OUTAGE_FAULTS,
  sinkKilled,
  sinkKilled,
  sinkStopped,
  sinksCut,
  targetKilled,
  targetSilent,
  everythingKilled,
  gatewayStopped,
  spoolDiskFull,
  fileDiskFull,
  fileFolderGone,
]
