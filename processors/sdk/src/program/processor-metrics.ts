import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { GateLoad } from '../messages/gate.ts'
import type { MessageOutcome } from '../messages/reply.ts'

/** The state that is read at each scrape. */
export type ProcessorState = { readonly connected: boolean; readonly load: GateLoad | undefined }

export type ProcessorMetrics = {
  readonly registry: Registry
  readonly counted: (outcome: MessageOutcome, seconds: number) => void
  readonly backgroundFailure: () => void
}

const OUTCOMES: readonly MessageOutcome[] = [
  'answered',
  'nothing',
  'failed',
  'dropped',
  'expired',
  'not an object',
  'not taken',
]
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Makes the metrics of every processor, in a registry to which a processor adds its own. */
export function createProcessorMetrics(
  processor: string,
  version: string,
  state: () => ProcessorState,
): ProcessorMetrics {
  const registry = new Registry()
  const registers = [registry]
  const messages = new Counter({
    name: 'llm_processor_messages_total',
    help: 'Messages by outcome: answered with fields, nothing to do, failed (error, or too slow), dropped (too many waited), expired (the deadline passed), not an object, not taken (the answer is too large, or no caller waits for it).',
    labelNames: ['processor', 'outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'llm_processor_seconds',
    help: 'Seconds from a message to its answer, the wait for its turn included; dropped and expired messages have none.',
    labelNames: ['processor'],
    buckets: SECONDS,
    registers,
  })
  const background = new Counter({
    name: 'llm_processor_background_failures_total',
    help: 'Rejected promises that no code awaited; each has a log line.',
    labelNames: ['processor'],
    registers,
  })
  new Gauge({
    name: 'llm_processor_info',
    help: 'Always 1; the version of the processor.',
    labelNames: ['processor', 'version'],
    registers,
  }).set({ processor, version }, 1)
  for (const { name, help, value } of GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: ['processor'],
      registers,
      collect() {
        this.set({ processor }, value(state()))
      },
    })
  }
  // A counter that starts at 0 gives a rate of 0; an absent one gives no rate.
  for (const outcome of OUTCOMES) messages.inc({ processor, outcome }, 0)
  background.inc({ processor }, 0)
  return {
    registry,
    counted: (outcome, took) => {
      messages.inc({ processor, outcome })
      if (outcome !== 'dropped' && outcome !== 'expired') seconds.observe({ processor }, took)
    },
    backgroundFailure: () => background.inc({ processor }),
  }
}

const GAUGES: readonly {
  readonly name: string
  readonly help: string
  readonly value: (state: ProcessorState) => number
}[] = [
  {
    name: 'llm_processor_inflight_messages',
    help: 'Messages in work.',
    value: ({ load }) => load?.running ?? 0,
  },
  {
    name: 'llm_processor_waiting_messages',
    help: 'Messages that wait for their turn.',
    value: ({ load }) => load?.waiting ?? 0,
  },
  {
    name: 'llm_processor_waiting_bytes',
    help: 'Bytes of the messages that wait.',
    value: ({ load }) => load?.waitingBytes ?? 0,
  },
  {
    name: 'llm_processor_overloaded',
    help: '1 from the first dropped message until no message waits, else 0.',
    value: ({ load }) => (load?.overloaded === true ? 1 : 0),
  },
  {
    name: 'llm_processor_bus_connected',
    help: '1 while the processor is connected to the bus, else 0.',
    value: ({ connected }) => (connected ? 1 : 0),
  },
]
