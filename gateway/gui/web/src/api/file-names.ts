import type { FileName } from '@llm-gateway/gui-api'

/** In the order in which they are shown. */
export const fileNames = [
  'gl_config.json',
  'tokencounter_config.json',
  'nats2file_config.json',
  'nats2log_config.json',
  'gui_config.json',
  'nats-server.conf',
  'ginit_config.json',
] as const satisfies readonly FileName[]
