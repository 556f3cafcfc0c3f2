// The synchronous processor of the bench: adds one field to every request. `node sync-processor.ts BUS_PORT TOKEN SUBJECT`
import { subscribeWire } from './nats-wire.ts'
import { onOrder, tell } from './orders.ts'

const [port, token = '', subject = ''] = process.argv.slice(2)
const REPLY = Buffer.from('{"bench":1}')

onOrder(() => undefined)
await subscribeWire({
  port: Number(port),
  token,
  subject,
  take: ({ reply }, client) => {
    if (reply !== undefined) client.publish(reply, REPLY)
  },
  failed: () => process.exit(1),
})
tell({ ready: true })
