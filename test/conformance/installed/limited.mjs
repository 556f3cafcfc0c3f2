// A processor with settings and limits for the tests of the installed SDK; limited.py is the same processor in Python.
import { booleanSetting, numberSetting, runProcessor } from '@llm-gateway/sdk'
import { z } from 'zod'

const settings = z.object({
  rate: numberSetting({ min: 0, max: 10 }).default(1),
  loud: booleanSetting().default(false),
  label: z.string().default(''),
})

function create({ rate, loud, label }, { logger }) {
  logger.info({ settings: [rate, loud, label] }, 'created')
  const { promise: released, resolve: release } = Promise.withResolvers()
  const answer = async (fields) => {
    if (fields.get('release') === true) release()
    if (fields.get('hold') === true) await released
    return { id: fields.get('id') ?? null }
  }
  return { answer }
}

const definition = {
  name: 'limited',
  version: '1.2.3',
  settings,
  variables: { RATE: 'rate', LOUD: 'loud' },
  limits: { concurrency: Number(process.env.CONCURRENCY ?? 1), waiting: 4 },
  create,
}
process.exit(await runProcessor(definition, process))
