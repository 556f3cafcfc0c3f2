import { z } from 'zod'
import { fieldPathSchema } from './failure.ts'

const fieldStateSchema = z.enum(['required', 'missing', 'invalid'])
export type FieldState = z.infer<typeof fieldStateSchema>

/** The verdict on a field in the gateway's environment. */
export const checkedFieldSchema = z
  .object({
    path: fieldPathSchema.describe('The place in the file; empty for the file as a whole.'),
    state: fieldStateSchema.describe(
      '`required`: the field needs a value and is empty, or a variable that it refers to is not set. `missing`: the field refers to a variable that is not set, and works without it. `invalid`: the value is not allowed.',
    ),
    reason: z
      .string()
      .describe(
        'The code of the fault, such as `required:`, `max:65535` or `unset:`. In a Router of Kubernetes the reason of Ready.',
      ),
    message: z.string().describe('A text for people.'),
    unset: z.array(z.string()).describe('The names of the variables that the field refers to and that are not set.'),
  })
  .meta({ id: 'CheckedField', description: 'The verdict on one field. Fields that are not listed are valid.' })
export type CheckedField = z.infer<typeof checkedFieldSchema>

/** Names the state of a variable in the environment of the gateway. */
export const variableStateSchema = z.enum(['set', 'generated', 'unset'])

/** A variable that the file refers to. Its value is never sent. */
const variableSchema = z.object({
  name: z.string().describe('The name in `${NAME}`.'),
  state: variableStateSchema.describe(
    '`set`: the variable has a value. `unset`: it has none or an empty one. `generated`: it was unset, so the supervisor made a random value that nobody can read.',
  ),
  used_at: z.array(fieldPathSchema).describe('The places that refer to the variable, at most 20.'),
})
export type Variable = z.infer<typeof variableSchema>

/** The verdict of the gateway's own check on one file. */
export const checkSchema = z
  .object({
    digest: z.string().describe('The digest of the text that was checked, with the secrets behind its masks.'),
    result: z
      .enum(['valid', 'partly', 'invalid', 'unchecked'])
      .describe(
        '`valid`: everything runs. `partly`: the file runs without the rejected routers. `invalid`: no program would start with the file. `unchecked`: only nats-server can judge its file, and a deploy asks it.',
      ),
    fields: z.array(checkedFieldSchema).describe('The fields with a fault, at most 1,000.'),
    variables: z
      .array(variableSchema)
      .describe('The variables that the file refers to, sorted by name, at most 1,000. Empty for nats-server.conf.'),
    unknown_keys: z
      .array(z.string())
      .describe('Keys that no program reads, at most 1,000. They stay in the file. Empty if the file is `invalid`.'),
  })
  .meta({ id: 'Check', description: 'The verdict of the gateway’s own check on the text of one file.' })
export type Check = z.infer<typeof checkSchema>
