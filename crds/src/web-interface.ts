import { z } from 'zod'
import { keyReferenceSchema } from './env-entry.ts'
import { setList } from './primitives.ts'
import { certificateReferenceSchema } from './tls-settings.ts'

/** The web interface of a gateway (docs/reference/kubernetes.md#web-interface). */
export const webInterfaceSchema = z.object({
  mode: z
    .enum(['ReadOnly', 'Edit'])
    .default('ReadOnly')
    .describe(
      'ReadOnly: the page shows resources; Edit: it also applies them, where a role that people bind to its account allows it.',
    ),
  secretRef: keyReferenceSchema
    .optional()
    .describe('Password of the web interface; left out: generated once, key GUI_SECRET of the Secret NAME-web.'),
  hosts: setList(
    z
      .string()
      .min(1)
      .max(253)
      .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/),
    16,
  )
    .optional()
    .describe(
      'Host names under which browsers may open the interface, such as that of an Ingress; localhost, addresses and the names of its Service need no entry.',
    ),
  tls: z
    .object({ secretRef: certificateReferenceSchema })
    .optional()
    .describe('Certificate of the web interface; left out: browsers speak plain HTTP.'),
})
