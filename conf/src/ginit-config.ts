import { z } from 'zod'
import { boolean, logLevel, positive, version } from './primitives.ts'

export const serviceSchema = z.object({
  name: z.string().min(1).describe('Name of the service in log lines and in the web interface.'),
  file: z
    .string()
    .min(1)
    .describe(
      'The program. Node runs a file that ends in `.ts`. A name without a slash is looked up on PATH. A relative path begins at the folder of the installation.',
    ),
  config_command: z.string().default('-o').describe('Flag that stands before the path of the configuration file.'),
  configuration_file: z.string().min(1).describe('Path of the program’s configuration file.'),
  additional_arguments: z.array(z.string()).default([]).describe('Further arguments of the program.'),
  validate_command: z
    .string()
    .default('--validate')
    .describe('Flag that makes the program check its file and end. Empty: the program has no such flag.'),
  healthy_output: z
    .string()
    .default('')
    .describe(
      'Part of the log line that shows that the service is healthy. Empty: the service counts as healthy once it is started.',
    ),
  disable_config_file_monitoring: boolean
    .default(false)
    .describe('`true`: the supervisor does not restart the service when its file changes.'),
  die_promise: boolean
    .default(false)
    .describe('`true`: all services end when this service ends or does not become healthy in time.'),
  optional: boolean
    .default(false)
    .describe(
      '`true`: after `max_starts` starts within 60 s the supervisor does not end. The service waits for 60 s, or until its file changes, and is then started again; the other services run. `die_promise` takes precedence.',
    ),
})

/** ginit_config.json: the services of the all-in-one in the order of their start. */
export const ginitConfigSchema = z.object({
  version: version.default('1.0.1').describe('Version of the file’s format. Programs do not interpret it.'),
  log_level: logLevel.default('INFO').describe('Lowest level of log lines that are written.'),
  max_starts: positive
    .default(2)
    .describe(
      'Most starts of one service within 60 s. A further start is not tried: the supervisor ends with exit code 1, unless the service is `optional`.',
    ),
  services: z.array(serviceSchema).min(1).describe('The services, in the order in which they start.'),
})

export type GinitConfig = z.infer<typeof ginitConfigSchema>
export type GinitService = z.infer<typeof serviceSchema>
