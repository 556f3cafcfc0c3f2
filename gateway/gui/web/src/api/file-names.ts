import type { FileName } from '@llm-gateway/gui-api'

/** The files in the order of the page. */
export const fileNames = [
  'gl_config.json',
  'tokencounter_config.json',
  'nats2file_config.json',
  'nats2log_config.json',
  'gui_config.json',
  'nats-server.conf',
  'ginit_config.json',
] as const satisfies readonly FileName[]
