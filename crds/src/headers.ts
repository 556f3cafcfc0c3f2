import { z } from 'zod'
import { atomicList, cel, HEADER_NAMES, headerName, text } from './primitives.ts'

/** Name → values, as gl_config.json has them; without a value a header would be a check that nothing passes. */
export const headersSchema = z
  .record(headerName, atomicList(text(4096), 8).min(1))
  .meta({ maxProperties: 32, ...cel(HEADER_NAMES) })
