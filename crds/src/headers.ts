import { z } from 'zod'
import { atomicList, cel, HEADER_NAMES, headerName, text } from './primitives.ts'

/** Name → values, as in gl_config.json. A header without values would be a check that no call passes. */
export const headersSchema = z
  .record(headerName, atomicList(text(4096), 8).min(1))
  .meta({ maxProperties: 32, ...cel(HEADER_NAMES) })
