import { z } from 'zod'
import { glSettingsSchema } from './gl-settings.ts'
import { routerEntrySchema } from './router-entry.ts'

/** gl_config.json as people write it: the settings and the routers, which are judged one by one. */
export const glConfigSchema = glSettingsSchema.extend({
  $schema: z.string().optional(),
  routers: z.array(routerEntrySchema).optional(),
})
