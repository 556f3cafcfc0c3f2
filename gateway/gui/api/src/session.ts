import { z } from 'zod'

/** The verdict whether a login is possible now, with the reason if it isn't. */
const loginSchema = z.object({
  possible: z.boolean().describe('True if a password would be checked now.'),
  reason: z
    .enum(['secret_unset', 'locked'])
    .optional()
    .describe(
      'Absent if a login is possible. `secret_unset`: `GUI_SECRET` is not set. `locked`: too many wrong passwords came in.',
    ),
  message: z.string().optional().describe('A text for people. Absent if a login is possible.'),
  retry_after_seconds: z
    .number()
    .optional()
    .describe('Seconds until a password is checked again. Only with the reason `locked`.'),
})
export type Login = z.infer<typeof loginSchema>

const sessionStateSchema = z.discriminatedUnion('logged_in', [
  z.object({
    logged_in: z.literal(false).describe('True if the request came with the cookie of a session.'),
    login: loginSchema.describe('Tells if a login is possible. Only if `logged_in` is false.'),
  }),
  z.object({
    logged_in: z.literal(true).describe('True if the request came with the cookie of a session.'),
    name: z
      .string()
      .describe(
        'The name that the person typed at login, unverified; empty if there was none. Only if `logged_in` is true.',
      ),
    csrf_token: z
      .string()
      .describe(
        'The value of the header `X-Csrf-Token`, which all requests of the session but GET need. Only if `logged_in` is true.',
      ),
    idle_until: z
      .string()
      .describe(
        'RFC 3339: the end of the session without further requests, an hour after the last one. Requests with the header `X-Unattended` do not count. Only if `logged_in` is true.',
      ),
    ends_at: z
      .string()
      .describe(
        'RFC 3339: the session ends at this time in any case; 12 hours after the login. Only if `logged_in` is true.',
      ),
  }),
])
export type SessionState = z.infer<typeof sessionStateSchema>

/** Sent to everybody, with or without a session. */
export const sessionSchema = z
  .intersection(
    // The editions differ in their navigation and in the place of the secret.
    z.object({
      edition: z
        .enum(['standalone', 'kubernetes'])
        .describe('`standalone`: files on a machine. `kubernetes`: custom resources of a cluster.'),
    }),
    sessionStateSchema,
  )
  .meta({ id: 'Session', description: 'The session of a browser. A script with a bearer token has none.' })
export type Session = z.infer<typeof sessionSchema>

export const loginRequestSchema = z.strictObject({
  secret: z.string().max(4_096).describe('The password: the value of `GUI_SECRET`.'),
  name: z
    .string()
    .max(100)
    .default('')
    .describe('The name of the person, which drafts and earlier versions show. Nobody checks it.'),
})
export type LoginRequest = z.input<typeof loginRequestSchema>
