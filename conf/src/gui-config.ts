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
  namespace: namespace.describe('Namespace of the LLMGateway that the interface shows.'),
  gateway: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, 'dns_label:')
    .describe('Name of the LLMGateway that the interface shows.'),
  mode: z
    .enum(['ReadOnly', 'Edit'])
    .default('ReadOnly')
    .describe('`ReadOnly`: the page shows resources. `Edit`: the page can also change them, as far as RBAC allows.'),
  namespaces: z
    .array(namespace)
    .max(1_000)
    .default([])
    .describe('Further namespaces whose Routers attach to this gateway.'),
  read_role: z
    .string()
    .regex(/^(ClusterRole|Role)\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'role:')
    .default('ClusterRole/llm-gateway-web-read')
    .describe(
      'Role by which the account of the interface reads the cluster. The role for changes has the same name with `web-edit` in place of `web-read`.',
    ),
})

/** gui_config.json, the settings of the web interface. */
export const guiConfigSchema = z.object({
  version: version.default('1.0.1').describe('Version of the file’s format. Programs do not interpret it.'),
  log_level: logLevel.default('INFO').describe('Lowest level of log lines that are written.'),
  gui_port: port.default(8080).describe('Port of the web interface.'),
  secret: z.string().default('${GUI_SECRET}').describe('Password of the login, and bearer token for scripts.'),
  failed_authentication_limit: positive
    .default(5)
    .describe(
      'Number of wrong passwords, from all addresses together, after which the login is locked for at least 30 s. Browsers that have logged in before have a count of their own.',
    ),
  allowed_hosts: z
    .array(z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'host:'))
    .default([])
    .describe(
      'Host names under which the interface can be opened, beside localhost, the machine’s name and its addresses.',
    ),
  tls: z.object({ ingress: ingressTlsSchema.prefault({}) }).prefault({}),
  working_directory: z
    .string()
    .min(1)
    .default('./app/conf/working')
    .describe('Folder of drafts. It may not be the folder of the live files.'),
  archive_directory: z
    .string()
    .min(1)
    .default('./app/conf/archive')
    .describe('Folder of earlier versions of the files.'),
  service_bus: serviceBusSchema.prefault({}),
  services: z.array(editedServiceSchema).default([]).describe('The programs whose files the interface edits.'),
  kubernetes: kubernetesSchema.optional(),
})

export type GuiConfig = z.infer<typeof guiConfigSchema>
