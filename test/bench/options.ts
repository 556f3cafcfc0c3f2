import { parseArgs } from 'node:util'

export const SIZES = { '0.5KB': 512, '10KB': 10_240, '100KB': 102_400, '1MB': 1_048_576 } as const
export type SizeName = keyof typeof SIZES

export const TARGETS = [
  'direct',
  'nginx',
  'floor',
  'reply-from',
  'gateway-off',
  'gateway-on',
  'gateway-kept',
  'gateway-journal',
  'gateway-sync',
  'gateway-other',
] as const
export type TargetName = (typeof TARGETS)[number]

export const PHASES = ['throughput', 'latency', 'sse', 'bursts', 'rss'] as const
export type Phase = (typeof PHASES)[number]

export type BenchOptions = {
  readonly rounds: number
  /** Length of a measured stretch. */
  readonly seconds: number
  readonly warmupSeconds: number
  /**
   * The calls per second of the throughput phase; undefined for a closed loop. A closed loop gives each target as many
   * calls as it can take, and a process that isn't busy needs more CPU for a call, since it reads fewer at once. So a
   * gateway that waits for the bus is compared with the floor at the same rate.
   */
  readonly rate: number | undefined
  readonly sizes: readonly SizeName[]
  readonly targets: readonly TargetName[]
  readonly phases: readonly Phase[]
  /** Text of the messages: ASCII with escapes, or with raw UTF-8 beyond ASCII. */
  readonly text: 'ascii' | 'unicode'
  /** Number of further routers in the gateway's file. */
  readonly routers: number
  /** Requests of the RSS phase; RSS is read after half of them and at the end. */
  readonly rssRequests: number
  /** The path of the JSON result. */
  readonly out: string
  /**
   * The folder for CPU profiles of the gateways. Profiling costs a few per cent, so such a run's figures don't count.
   */
  readonly profile: string | undefined
  /** Another checkout, whose gateway is measured as `gateway-other`, like `gateway-on`. */
  readonly other: string | undefined
}

export const USAGE = `node test/bench/main.ts [flags]
  --rounds N        interleaved rounds (3)             --seconds N      length of each measured stretch (4)
  --warmup N        seconds before each (1)            --sizes A,B      ${Object.keys(SIZES).join(',')}
  --rate N          calls per second of the throughput phase, the same for all targets (without: a closed loop)
  --targets A,B     ${TARGETS.join(',')}
  --phases A,B      ${PHASES.join(',')}
  --text T          ascii | unicode                    --routers N      routers beside the used one (0)
  --rss-requests N  (100000)                           --out FILE       JSON result (.run/bench.json)
  --profile DIR     writes a .cpuprofile of each gateway (a run of its own: it costs a few per cent)
  --other DIR       measures the gateway of another checkout as gateway-other, like gateway-on`

/** Parses the bench's command line. Throws with a text for people if a flag is wrong. */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      warmup: { type: 'string', default: '1' },
      rate: { type: 'string' },
      sizes: { type: 'string', default: Object.keys(SIZES).join(',') },
      targets: { type: 'string' },
      phases: { type: 'string', default: PHASES.join(',') },
      text: { type: 'string', default: 'ascii' },
      routers: { type: 'string', default: '0' },
      'rss-requests': { type: 'string', default: '100000' },
      out: { type: 'string', default: '.run/bench.json' },
      profile: { type: 'string' },
      other: { type: 'string' },
    },
  })
  return {
    rounds: bounded('rounds', values.rounds, 1, 50),
    seconds: bounded('seconds', values.seconds, 0.5, 120),
    warmupSeconds: bounded('warmup', values.warmup, 0, 60),
    rate: values.rate === undefined ? undefined : bounded('rate', values.rate, 1, 50_000),
    sizes: chosen('sizes', values.sizes, sizeNames()),
    targets: targets(values.targets, values.other),
    phases: chosen('phases', values.phases, PHASES),
    text: chosen('text', values.text, ['ascii', 'unicode'] as const)[0] ?? 'ascii',
    routers: bounded('routers', values.routers, 0, 20_000),
    rssRequests: bounded('rss-requests', values['rss-requests'], 100, 2_000_000),
    out: values.out,
    profile: values.profile,
    other: values.other,
  }
}

function targets(text: string | undefined, other: string | undefined): readonly TargetName[] {
  const known = TARGETS.filter((name) => name !== 'gateway-other' || other !== undefined)
  return text === undefined ? known : chosen('targets', text, known)
}

function sizeNames(): readonly SizeName[] {
  return ['0.5KB', '10KB', '100KB', '1MB']
}

function chosen<T extends string>(flag: string, text: string, known: readonly T[]): readonly T[] {
  const wanted = text.split(',').map((name) => name.trim())
  const unknown = wanted.find((name) => !known.some((each) => each === name))
  if (unknown !== undefined) throw new Error(`--${flag}: ${unknown} is none of ${known.join(',')}`)
  return known.filter((name) => wanted.includes(name))
}

function bounded(flag: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!(value >= min && value <= max)) throw new Error(`--${flag}: ${text} is not between ${min} and ${max}`)
  return value
}
