import { z } from 'zod'
import { boolean, logLevel, positive, version } from './primitives.ts'

export const serviceSchema = z.object({
  name: z.string().min(1),
  file: z
    .string()
    .min(1)
    .describe(
      'a program; one that ends in .ts is run by Node, a bare name is looked up on PATH, a relative path in the installation',
    ),
  config_command: z.string().default('-o'),
  configuration_file: z.string().min(1),
  additional_arguments: z.array(z.string()).default([]),
  validate_command: z.string().default('--validate').describe('makes it judge its file and exit; "": it can not'),
  healthy_output: z.string().default('').describe('part of the line that tells it is up'),
  disable_config_file_monitoring: boolean.default(false).describe('true: not restarted when its file changes'),
  die_promise: boolean.default(false).describe('true: everything stops when it is not healthy'),
})

/** ginit_config.json: the services of the all-in-one in the order of their start. */
export const ginitConfigSchema = z.object({
  version: version.default('1.0.1'),
  log_level: logLevel.default('INFO'),
  max_starts: positive.default(2).describe('starts of one service within 60 s before everything stops'),
  services: z.array(serviceSchema).min(1),
})

export type GinitConfig = z.infer<typeof ginitConfigSchema>
export type GinitService = z.infer<typeof serviceSchema>
