import { z } from 'zod'
import { serviceSchema } from './ginit-config.ts'
import { logLevel, port, positive, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema } from './tls.ts'

/**
 * A file that the web interface edits, and the program that checks it, in the form of a service of ginit_config.json.
 */
const editedServiceSchema = serviceSchema.pick({
  name: true,
  file: true,
  config_command: true,
  configuration_file: true,
  validate_command: true,
})

const namespace = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'dns_label:')

/** The LLMGateway whose resources the web interface shows in place of files. Only the operator writes this part. */
const kubernetesSchema = z.object({
  namespace: namespace.describe('of the LLMGateway'),
  gateway: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, 'dns_label:')
    .describe('name of the LLMGateway'),
  mode: z
    .enum(['ReadOnly', 'Edit'])
    .default('ReadOnly')
    .describe('Edit: whom the API server lets may change resources here'),
  namespaces: z
    .array(namespace)
    .max(1_000)
    .default([])
    .describe('other namespaces whose Routers attach to this gateway'),
  read_role: z
    .string()
    .regex(/^(ClusterRole|Role)\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'role:')
    .default('ClusterRole/llm-gateway-web-read')
    .describe('role that its account reads by; the one to write by is called alike, with web-edit'),
})

/** gui_config.json, the settings of the web interface. */
export const guiConfigSchema = z.object({
  version: version.default('1.0.1'),
  log_level: logLevel.default('INFO'),
  gui_port: port.default(8080),
  secret: z.string().default('${GUI_SECRET}'),
  failed_authentication_limit: positive
    .default(5)
    .describe('wrong secrets, from whatever addresses, until nobody can log in for a while'),
  allowed_hosts: z
    .array(z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'host:'))
    .default([])
    .describe('names that a browser may know this machine by, beside localhost, its own name and addresses'),
  tls: z.object({ ingress: ingressTlsSchema.prefault({}) }).prefault({}),
  working_directory: z.string().min(1).default('./app/conf/working').describe('for drafts'),
  archive_directory: z.string().min(1).default('./app/conf/archive').describe('for earlier versions'),
  service_bus: serviceBusSchema.prefault({}),
  services: z.array(editedServiceSchema).default([]),
  kubernetes: kubernetesSchema.optional(),
})

export type GuiConfig = z.infer<typeof guiConfigSchema>
