import { z } from 'zod'
import { serviceSchema } from './ginit-config.ts'
import { logLevel, port, positive, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema } from './tls.ts'

/** A file that the interface edits, and the program that judges it; a service is written as in ginit_config.json. */
const editedServiceSchema = serviceSchema.pick({
  name: true,
  file: true,
  config_command: true,
  configuration_file: true,
  validate_command: true,
})

/** gui_config.json, the web interface (wire, 1.2). */
export const guiConfigSchema = z.object({
  version: version.default('1.0.1'),
  log_level: logLevel.default('INFO'),
  gui_port: port.default(8080),
  secret: z.string().default('${GUI_SECRET}'),
  failed_authentication_limit: positive.default(5),
  tls: z.object({ ingress: ingressTlsSchema.prefault({}) }).prefault({}),
  working_directory: z.string().default('./app/conf'),
  archive_directory: z.string().default('./app/conf/archive'),
  service_bus: serviceBusSchema.prefault({}),
  services: z.array(editedServiceSchema).default([]),
})

export type GuiConfig = z.infer<typeof guiConfigSchema>
