import { z } from 'zod'
import { logLevel, port, positive, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema } from './tls.ts'

const guiServiceSchema = z.object({
  name: z.string().min(1),
  configuration_file: z.string().min(1),
  file: z.string().min(1),
  validate_command: z.string().default('--validate'),
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
  services: z.array(guiServiceSchema).default([]),
})

export type GuiConfig = z.infer<typeof guiConfigSchema>
