import { connectBusClient } from '../fake/bus-client.ts'
import type { GatewayConfig } from '../fake/gateway-file.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { ENCRYPTED, ROUTERS } from './attack.ts'

export type HostileProcessors = {
  /** Replies to messages with the tag in their first bytes; undefined ends the replies. */
  reply(tag: string, reply: ((text: string) => Uint8Array | undefined) | undefined): void
  close(): Promise<void>
}

const SUBJECTS = 'hostile.>'
const TIMEOUT_MS = 5_000
/** The tag is in a subpath or in a header of the answer; headers come before payloads. */
const SEARCHED_BYTES = 16_384
const NO_BYTES = new Uint8Array()

/** Starts one client of the bus for all hostile processors. A message without a known tag gets an empty reply. */
export async function startHostileProcessors(nats: NatsServer): Promise<HostileProcessors> {
  const replies = new Map<string, (text: string) => Uint8Array | undefined>()
  const client = await connectBusClient(nats)
  await client.subscribe(SUBJECTS, (message) => {
    const text = Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.length)
    const start = text.toString('latin1', 0, SEARCHED_BYTES)
    const tag = [...replies.keys()].find((each) => start.includes(`${each}/`) || start.includes(`"${each}"`))
    if (tag === undefined) {
      message.reply(NO_BYTES)
      return
    }
    const reply = replies.get(tag)?.(start)
    if (reply !== undefined) message.reply(reply)
  })
  return {
    reply: (tag, reply) => {
      if (reply === undefined) replies.delete(tag)
      else replies.set(tag, reply)
    },
    close: client.close,
  }
}

/** Returns the configuration with the neighbour's router, the hostile routers and their rows. */
export function hostileConfig(neighbourPort: number, hostileUrl: string): GatewayConfig {
  const entry = (name: string, router: string, more: object): object => {
    return { name, service_bus_topic: `hostile.${name}`, timeout: TIMEOUT_MS, routers: [router], ...more }
  }
  const small = { input_fields_include: ['gl_path', 'ingress_subpath', 'inbound_headers'] }
  return {
    routers: [
      { path: '/neighbour/', outbound: { url: `http://127.0.0.1:${neighbourPort}` } },
      { path: ENCRYPTED, outbound: { url: 'https://127.0.0.1:1' } },
      ...ROUTERS.map((path) => ({ path, outbound: { url: hostileUrl } })),
    ],
    request: {
      processors: [
        [entry('add_request', '/added/', { ...small, output_fields_write: ['extra_request'] })],
        [entry('replace_request', '/replaced/', { ...small, modifier: true, output_fields_write: REQUEST_FIELDS })],
      ],
    },
    response: {
      processors: [
        [entry('add_response', '/added/', { ...small, output_fields_write: ['extra_response'] })],
        [entry('replace_response', '/replaced/', { ...small, modifier: true, output_fields_write: RESPONSE_FIELDS })],
        [entry('watch_response', '/watched/', { async: true, output_fields_write: ['seen'] })],
      ],
    },
  }
}

const REQUEST_FIELDS = ['gl_path', 'outbound_payload', 'outbound_headers', 'outbound_query_parameters', 'control']
const RESPONSE_FIELDS = ['egress_payload', 'egress_headers', 'egress_status_code']
