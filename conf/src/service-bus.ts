import { z } from 'zod'

/** How a program reaches the bus (wire, 1.1). */
export const serviceBusSchema = z.object({
  hostname: z
    .string()
    .min(1)
    .refine((text) => !text.includes('@'), 'user-info is refused')
    .default('localhost:4222'),
  topic: z.string().default('llm.gl.events'),
  topic_exact_isalive: z.string().default('llm.gl.isalive'),
  topic_exact_logger: z.string().default('llm.gl.logger'),
  token: z.string().default('${NATS_TOKEN}'),
  tls: z
    .object({ ca_file: z.string().optional(), cert_file: z.string().optional(), key_file: z.string().optional() })
    .optional(),
})
