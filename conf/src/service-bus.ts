import { z } from 'zod'
import { BUS_ADDRESS, parseBusAddress } from './bus-address.ts'

/**
 * A subject of the bus without wildcards, of at most 1,000 characters: the bus closes the connection of a client that
 * sends a line of more than 4 KiB, which would end the calls of all other processors.
 */
export const subject = z.string().regex(/^(?!.{1001})[^\s*>.]+(\.[^\s*>.]+)*$/, 'subject:')
const subjectOrOff = z.string().regex(/^(?!.{1001})([^\s*>.]+(\.[^\s*>.]+)*)?$/, 'subject:')

/** The address and credentials of the bus. */
export const serviceBusSchema = z.object({
  hostname: z
    .string()
    .refine((text) => text === text.trim() && parseBusAddress(text) !== undefined, 'address:')
    .meta({ pattern: BUS_ADDRESS.source })
    .default('localhost:4222')
    .describe('Address of the bus: `host` or `host:port`, without user-info; port 4222 if it has none.'),
  topic: subject.default('llm.gl.events').describe('Not used: older files contain this subject.'),
  topic_exact_isalive: subjectOrOff
    .default('llm.gl.isalive')
    .describe('Subject on which the gateway answers that it is alive. Other programs do not use it.'),
  topic_exact_logger: subjectOrOff.default('llm.gl.logger').describe('Subject of the records.'),
  token: z.string().default('${NATS_TOKEN}').describe('Token for the connection to the bus.'),
  tls: z
    .object({
      ca_file: z.string().optional().describe('PEM file of the authority that signed the certificate of the bus.'),
      cert_file: z.string().optional().describe('PEM file of the certificate that the program shows to the bus.'),
      key_file: z.string().optional().describe('PEM file of the key of that certificate.'),
    })
    .optional(),
})
