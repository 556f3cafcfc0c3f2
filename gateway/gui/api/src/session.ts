import { z } from 'zod'

/** Whether somebody can log in at all, and if not what to do. */
const loginSchema = z.object({
  possible: z.boolean(),
  /** `secret_unset`: GUI_SECRET is not set, so a random one is in use. `locked`: too many wrong secrets. */
  reason: z.enum(['secret_unset', 'locked']).optional(),
  message: z.string().optional(),
  retry_after_seconds: z.number().optional(),
})
export type Login = z.infer<typeof loginSchema>

const sessionStateSchema = z.discriminatedUnion('logged_in', [
  z.object({ logged_in: z.literal(false), login: loginSchema }),
  z.object({
    logged_in: z.literal(true),
    /** As the person wrote it at login; nobody has checked it. Empty: none was given. */
    name: z.string(),
    /** To be sent as header `X-Csrf-Token` with everything but GET. */
    csrf_token: z.string(),
    /** RFC 3339; later without a request it ends. */
    idle_until: z.string(),
    /** RFC 3339; whatever happens. */
    ends_at: z.string(),
  }),
])
export type SessionState = z.infer<typeof sessionStateSchema>

/** Answered to everybody, logged in or not. */
export const sessionSchema = z.intersection(
  // The page shows another navigation, and another place of the secret, in each.
  z.object({ edition: z.enum(['standalone', 'kubernetes']) }),
  sessionStateSchema,
)
export type Session = z.infer<typeof sessionSchema>

export const loginRequestSchema = z.strictObject({
  secret: z.string().max(4_096),
  name: z.string().max(100).default(''),
})
export type LoginRequest = z.input<typeof loginRequestSchema>
