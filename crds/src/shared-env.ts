import { z } from 'zod'
import { hostSchema, namespacesSchema } from './allowed-routers.ts'
import { ENV_RULES, envFields } from './env-entry.ts'
import { cel, setList } from './primitives.ts'

const SECRET_HAS_HOSTS = {
  rule: '!(has(self.valueFrom) && has(self.valueFrom.secretKeyRef)) || (has(self.hosts) && self.hosts.size() > 0)',
  message: 'a secret needs the hosts it may be sent to',
  reason: 'FieldValueRequired' as const,
  fieldPath: '.hosts',
}

/** A variable that Routers may name (docs/reference/kubernetes.md#variables). */
export const sharedEnvEntrySchema = z
  .object({
    ...envFields,
    namespaces: namespacesSchema.prefault({}).describe('Namespaces whose Routers may name the variable.'),
    hosts: setList(hostSchema, 64).optional().describe('Hosts to which a secret may be sent; required for a secret.'),
  })
  .meta(cel(...ENV_RULES['x-kubernetes-validations'], SECRET_HAS_HOSTS))
export type SharedEnvEntry = z.infer<typeof sharedEnvEntrySchema>
