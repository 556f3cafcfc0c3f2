import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'

const HEADER_FRAME_BYTES = `NATS/1.0\r\n${MESSAGE_ID_HEADER}: \r\n\r\n`.length

/** Bytes that a message's headers take from the bus's max_payload, which counts headers and payload together. */
export function messageIdBytes(messageId: string): number {
  return HEADER_FRAME_BYTES + messageId.length
}
