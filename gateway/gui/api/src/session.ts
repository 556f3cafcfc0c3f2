import { z } from 'zod'

/** The verdict whether a login is possible now, with the reason if it isn't. */
const loginSchema = z.object({
  possible: z.boolean(),
  /** `secret_unset`: GUI_SECRET is not set, so a random secret is in use. `locked`: too many wrong secrets. */
  reason: z.enum(['secret_unset', 'locked']).optional(),
  message: z.string().optional(),
  retry_after_seconds: z.number().optional(),
})
export type Login = z.infer<typeof loginSchema>

const sessionStateSchema = z.discriminatedUnion('logged_in', [
  z.object({ logged_in: z.literal(false), login: loginSchema }),
  z.object({
    logged_in: z.literal(true),
    /** The name that the person typed at login, unverified. Empty if there was none. */
    name: z.string(),
    /** Sent as header `X-Csrf-Token` with all requests but GET. */
    csrf_token: z.string(),
    /** RFC 3339, the end of the session without further requests. */
    idle_until: z.string(),
    /** RFC 3339, the end of the session in any case. */
    ends_at: z.string(),
  }),
])
export type SessionState = z.infer<typeof sessionStateSchema>

/** Sent to everybody, with or without a session. */
export const sessionSchema = z.intersection(
  // The editions differ in their navigation and in the place of the secret.
  z.object({ edition: z.enum(['standalone', 'kubernetes']) }),
  sessionStateSchema,
)
export type Session = z.infer<typeof sessionSchema>

export const loginRequestSchema = z.strictObject({
  secret: z.string().max(4_096),
  name: z.string().max(100).default(''),
})
export type LoginRequest = z.input<typeof loginRequestSchema>
