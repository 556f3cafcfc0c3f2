import { DEFAULT_BUS_PREFIX } from '@llm-gateway/protocol'
import {
  type KeyValue,
  type ProcessorContext,
  type ProcessorDefinition,
  type RunningProcessor,
  selectedFields,
  withinTime,
} from '@llm-gateway/sdk'
import { answerMessage, type BrokerOptions } from './answer-message.ts'
import { Availability } from './availability.ts'
import { createBrokerMetrics } from './broker-metrics.ts'
import { type BrokerSettings, brokerSettings } from './settings.ts'
import { SharedDisablings } from './shared-disablings.ts'

/** The clock and the random source; tests give their own. */
export type BrokerOrigins = {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** 0 ≤ n < 1. */
  readonly random: () => number
}

const MS_PER_MINUTE = 60_000
/** Room for 2,000 members with paths of a thousand characters. */
const BUCKET_BYTES = 4 * 1024 * 1024
/** The longest wait of the first calls for the store's disablings. A Broker's row has a timeout of 1 s by default. */
const LOAD_MS = 500
const CLOSE_MS = 2_000
/** The fields that the broker needs of a large message, whose row selects more than these. */
const READ_FIELDS = ['gl_path', 'inbound_status_code', 'egress_status_code', 'error']

/**
 * Defines the processor that spreads the calls of a pool over its members and leaves out failed members
 * (docs/reference/processors.md#broker).
 */
export function broker(
  version: string,
  origins: BrokerOrigins = { now: Date.now, random: Math.random },
): ProcessorDefinition<BrokerSettings> {
  return {
    name: 'broker',
    version,
    settings: brokerSettings,
    variables: { DISABLED_TIME: 'disabled_time_minutes' },
    // A failure reported late still counts.
    limits: { takesLate: true },
    create: (settings, context) => createBroker(settings, context, origins),
  }
}

function createBroker(settings: BrokerSettings, context: ProcessorContext, origins: BrokerOrigins): RunningProcessor {
  const { pools } = settings
  const availability = createAvailability(settings, context, origins)
  const counts = createBrokerMetrics(context.metrics, pools, availability)
  const prefix = (context.environment.BUS_PREFIX || DEFAULT_BUS_PREFIX).replaceAll('.', '_')
  const keyValue = context.keyValue({ bucket: `${prefix}_broker`, maxBytes: BUCKET_BYTES, storage: 'file' })
  const shared = new SharedDisablings({ keyValue, availability })
  const options: BrokerOptions = {
    pools: new Map(pools.map(({ path, members }) => [path, members])),
    availability,
    random: origins.random,
    chosen: (pool, { member }) => counts.chosen(pool, member),
    failed: (router, reason) => {
      const disabling = availability.fail(router, reason)
      if (disabling === undefined) return
      counts.failed(router, reason)
      shared.publish(disabling)
    },
  }
  let loaded = false
  let loading: Promise<unknown> | undefined
  const load = async (): Promise<void> => {
    await withinTime(known(shared, keyValue), LOAD_MS)
    loaded = true
  }

  const answer: RunningProcessor['answer'] = (message) => {
    // Only a choice waits for the store's disablings; a failure is noted at once.
    if (loaded || !options.pools.has(String(message.get('gl_path')))) return answerMessage(message, options)
    loading ??= load()
    return loading.then(() => answerMessage(message, options))
  }

  return {
    answer,
    large: selectedFields(READ_FIELDS, answer),
    close: async () => {
      availability.close()
      await withinTime(shared.close(), CLOSE_MS)
    },
  }
}

/** Resolves once the store's disablings are known, or the store can't be reached. */
async function known(shared: SharedDisablings, keyValue: KeyValue): Promise<void> {
  const stored = await keyValue.get('')
  if (stored.kind !== 'failed') await shared.ready
}

function createAvailability(
  settings: BrokerSettings,
  { logger }: ProcessorContext,
  origins: BrokerOrigins,
): Availability {
  const { pools, disabled_time_minutes } = settings
  const paths = new Map<string, string[]>()
  for (const { path, members } of pools) {
    for (const member of members) paths.set(member, [...(paths.get(member) ?? []), path])
  }
  const poolsOf = (member: string): readonly string[] => paths.get(member) ?? []
  return new Availability({
    members: new Set(pools.flatMap(({ members }) => members)),
    disabledMs: disabled_time_minutes * MS_PER_MINUTE,
    now: origins.now,
    disabled: ({ member, until, reason }) => {
      for (const pool of poolsOf(member)) {
        logger.info({ pool, member, until: new Date(until).toISOString(), reason }, 'sub-router disabled')
      }
    },
    enabled: (member) => {
      for (const pool of poolsOf(member)) logger.info({ pool, member }, 'sub-router enabled')
    },
  })
}
