import assert from 'node:assert/strict'
import { checkGlConfig, createLogger } from '@llm-gateway/conf'
import { busOptions } from '../bus/bus-options.ts'
import { createNatsBus } from '../bus/nats-bus.ts'
import { createClock } from '../clock.ts'
import { compile } from '../config/compile.ts'
import type { Header } from '../http/headers.ts'
import { createJsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { createMetrics } from '../metrics.ts'
import { CallPlaces } from '../pipeline/call-places.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { CallTurns } from '../work/call-turns.ts'
import { KeyedQueue } from '../work/keyed-queue.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { DECODINGS, SHORT_DECODINGS } from './answer-intake.ts'
import { createIdSource } from './session.ts'
import type { Call, Gateway } from './transaction.ts'

export type Noted = { readonly id: string; readonly errorType: string }

/** Returns a gateway whose bus is away; ids and error types of its transactions are collected in `noted`. */
export function gatewayWith(upstream: Upstream, logs: string[], noted: Noted[]): Gateway {
  return gatewayOf({ upstream, logs, noted, request: { processors: [] } })
}

type Parts = {
  readonly upstream: Upstream
  readonly logs: string[]
  readonly noted: Noted[]
  /** The `request` of the configuration file. */
  readonly request: object
}

/** Returns a gateway with rows of processors. */
export function gatewayOf({ upstream, logs, noted, request }: Parts): Gateway {
  const outbound = { url: 'http://llm.example' }
  const file = {
    routers: [
      { path: '/llm/', outbound },
      { path: '/rows/', outbound },
      { path: '/key/', ingress: { headers: { 'Api-Key': ['k'] } }, outbound },
    ],
    log_unauthorized: true,
    request,
    response: { processors: [] },
    service_bus: { hostname: '127.0.0.1:1', token: '' },
    log_level: 'DEBUG',
  }
  const checked = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.equal(checked.kind, 'checked')
  const logger = createLogger({ service: 'gl', level: 'DEBUG', write: (line) => void logs.push(line) })
  const clock = createClock()
  return {
    live: { current: compile(checked.config, checked.digest), swap: () => undefined },
    bus: createNatsBus(busOptions(checked.config.settings.service_bus, logger)),
    places: new CallPlaces(1),
    records: undefined,
    upstream,
    metrics: createMetrics(),
    clock,
    ids: createIdSource(clock),
    account: new MemoryAccount(1_000_000_000),
    json: createJsonEngine(),
    readBudget: new TurnBudget(),
    callTurns: new CallTurns(),
    largeAnswers: new KeyedQueue(),
    shortDecodings: new KeyedQueue(SHORT_DECODINGS),
    decodings: new KeyedQueue(DECODINGS),
    work: new WorkQueue(),
    logger,
    lastTransaction: { note: (id, _, errorType) => void noted.push({ id, errorType }) },
  }
}

export type Answer = { readonly status: number; readonly headers: readonly Header[]; readonly body: string }

export function callWith(answers: (Answer | 'begun' | 'destroyed')[]): Call {
  return {
    method: 'GET',
    target: '/llm/x',
    rawHeaders: [],
    hasBody: false,
    bodyBytes: 0,
    hasValidHost: true,
    signal: { cancelled: false, onCancel: () => undefined },
    connectionBytes: 0,
    share: new MemoryShare(),
    admitBody: () => undefined,
    readBody: async () => ({ kind: 'caller gone' }),
    noteRouter: () => undefined,
    refuseBody: () => undefined,
    cut: () => undefined,
    createReply: (session) => ({
      session,
      get progress() {
        return answers.length > 0 ? 'begun' : 'none'
      },
      send: (status, headers, body) => {
        assert.equal(answers.length, 0, 'an answer has one head')
        answers.push({ status, headers: [...headers], body: String(body) })
      },
      writeHead: () => void answers.push('begun'),
      flushHead: () => undefined,
      write: () => true,
      writeAlone: (_, taken) => taken(),
      onDrain: () => undefined,
      watchStall: () => undefined,
      end: () => undefined,
      unsentBytes: 0,
      isBehind: false,
      onSent: () => undefined,
      destroy: () => void answers.push('destroyed'),
    }),
  }
}
