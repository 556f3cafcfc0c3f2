import { z } from 'zod'
import { defaultRouters } from './default-routers.ts'
import { glSettingsSchema } from './gl-settings.ts'
import { routerEntrySchema } from './router-entry.ts'

/** gl_config.json as people write it: for editors. What the routers say is judged one by one. */
export const glConfigSchema = glSettingsSchema.extend({
  routers: z.array(routerEntrySchema).prefault(defaultRouters),
})
