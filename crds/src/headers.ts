import { z } from 'zod'
import { atomicList, cel, HEADER_NAMES, headerName, text } from './primitives.ts'

/** Name → values, as gl_config.json has them. */
export const headersSchema = z
  .record(headerName, atomicList(text(4096), 8))
  .meta({ maxProperties: 32, ...cel(HEADER_NAMES) })
