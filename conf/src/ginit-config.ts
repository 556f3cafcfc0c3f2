import { z } from 'zod'
import { boolean, logLevel, positive, version } from './primitives.ts'

const serviceSchema = z.object({
  name: z.string().min(1),
  /** A program: a path that ends in .ts or .js is run by Node, a bare name is looked up on PATH and in .tools/bin. */
  file: z.string().min(1),
  config_command: z.string().default('-o'),
  configuration_file: z.string().min(1),
  additional_arguments: z.array(z.string()).default([]),
  /** Argument that makes the program judge its file and exit; "" where it can't. */
  validate_command: z.string().default('--validate'),
  /** Part of a line of output that tells that the service is up. */
  healthy_output: z.string().default(''),
  disable_config_file_monitoring: boolean.default(false),
  /** Everything stops when this service isn't healthy. */
  die_promise: boolean.default(false),
})

/** ginit_config.json, the services of the all-in-one in start order (wire, 1.2). */
export const ginitConfigSchema = z.object({
  version: version.default('1.0.1'),
  log_level: logLevel.default('INFO'),
  /** Starts of one service within 60 s of each other before the supervisor gives up. */
  max_starts: positive.default(2),
  services: z.array(serviceSchema).min(1),
})

export type GinitConfig = z.infer<typeof ginitConfigSchema>
export type GinitService = z.infer<typeof serviceSchema>
