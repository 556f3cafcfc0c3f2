import type { Answer } from '@llm-gateway/sdk'
import type { Availability } from './availability.ts'
import { chooseMember, type MemberChoice } from './choose-member.ts'
import { type FailureReason, failureReason } from './failure.ts'

export type BrokerOptions = {
  /** Members of each pool, by the pool's path. */
  readonly pools: ReadonlyMap<string, readonly string[]>
  readonly availability: Pick<Availability, 'disabledUntil'>
  /** 0 ≤ n < 1. */
  readonly random: () => number
  readonly chosen: (pool: string, choice: MemberChoice) => void
  /** Called for each failure of any router, member or not. */
  readonly failed: (router: string, reason: FailureReason) => void
}

/**
 * Answers one message (docs/reference/processors.md#broker). In the request phase the reply names the member of the
 * pool that handles the call. In the response phase the reply is empty, and a failure of the router that answered is
 * noted.
 */
export function answerMessage(message: ReadonlyMap<string, unknown>, options: BrokerOptions): Answer {
  const router = message.get('gl_path')
  if (typeof router !== 'string') return undefined
  if (isResponse(message)) return noteFailure(router, message, options)
  const members = options.pools.get(router)
  // The path is not a configured pool. With an `error`, the message may be a response without selected statuses.
  if (members === undefined) return noteFailure(router, message, options)
  const choice = chooseMember(members, options.availability, options.random)
  if (choice === undefined) return undefined
  options.chosen(router, choice)
  return { gl_path: choice.member }
}

/**
 * Returns whether a message has a status. Only responses have one; a request may have an `error` of an earlier
 * processor.
 */
function isResponse(message: ReadonlyMap<string, unknown>): boolean {
  return message.has('inbound_status_code') || message.has('egress_status_code')
}

function noteFailure(router: string, message: ReadonlyMap<string, unknown>, options: BrokerOptions): undefined {
  const reason = failureReason(message)
  if (reason !== undefined) options.failed(router, reason)
}
