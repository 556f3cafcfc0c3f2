import type { Transaction } from '@llm-gateway/gui-api'
import type { CallRecord } from '../../record/call-record.ts'
import { answerMessages, type ChatMessage, requestMessages } from '../../record/chat-messages.ts'

/** The messages that one call added to a conversation. */
export type Turn = { readonly call: Transaction; readonly messages: readonly ChatMessage[] }

/** Returns the new messages of each call. Callers send the whole conversation each time; repeats are left out. */
export function conversationTurns(
  calls: readonly { readonly call: Transaction; readonly record: CallRecord }[],
): readonly Turn[] {
  let before: readonly string[] = []
  return calls.map(({ call, record }) => {
    const payload = (name: 'ingress' | 'egress') => record.hops.find((hop) => hop.name === name)?.payload
    const asked = requestMessages(payload('ingress'))
    const answered = answerMessages(payload('egress'))
    const known = before
    const same = asked.findIndex((message, index) => JSON.stringify(message) !== known[index])
    const shared = same < 0 ? Math.min(asked.length, known.length) : same
    before = [...asked, ...answered].map((message) => JSON.stringify(message))
    return { call, messages: [...asked.slice(shared), ...answered] }
  })
}
