import { z } from 'zod'
import { HOST_AND_PORT } from './outbound-address.ts'

const subject = z.string().regex(/^[^\s*>.]+(\.[^\s*>.]+)*$/, 'subject:')
const subjectOrOff = z.string().regex(/^([^\s*>.]+(\.[^\s*>.]+)*)?$/, 'subject:')

/** The address and credentials of the bus. */
export const serviceBusSchema = z.object({
  hostname: z
    .string()
    .regex(HOST_AND_PORT, 'address:')
    .default('localhost:4222')
    .describe('host or host:port; no user-info'),
  topic: subject.default('llm.gl.events').describe('accepted; nothing is published there'),
  topic_exact_isalive: subjectOrOff.default('llm.gl.isalive').describe('"": off'),
  topic_exact_logger: subjectOrOff
    .default('llm.gl.logger')
    .describe('where the records are published; "": no records are made'),
  token: z.string().default('${NATS_TOKEN}'),
  tls: z
    .object({ ca_file: z.string().optional(), cert_file: z.string().optional(), key_file: z.string().optional() })
    .optional(),
})
