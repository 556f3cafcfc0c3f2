// A processor with shared state for the tests of the installed SDK; shared_state.py is the same processor in Python.
import { noSettings, runProcessor } from '@llm-gateway/sdk'

function create(_settings, { environment, keyValue }) {
  const store = keyValue({ bucket: 'llm_shared', maxBytes: 10_000, storage: environment.STORAGE ?? 'file' })
  const fading = keyValue({ bucket: 'llm_fading', maxBytes: 10_000, storage: 'memory', ttlMs: 2_000 })
  const known = new Map()
  const changed = (key, entry) => {
    if (entry === undefined) known.delete(key)
    else known.set(key, Buffer.from(entry.value).toString())
  }
  const watches = [store.watch(changed), fading.watch(changed)]
  const answer = async (fields) => {
    const bucket = fields.get('fading') === true ? fading : store
    const [operation, key] = [fields.get('operation'), fields.get('key')]
    const value = Buffer.from(String(fields.get('value')))
    if (operation === 'known') return { known: Object.fromEntries(known) }
    const outcome = await {
      get: () => bucket.get(key),
      put: () => bucket.put(key, value),
      update: () => bucket.update(key, value, fields.get('revision')),
      delete: () => bucket.delete(key),
    }[operation]()
    const { kind, error = '', revision = 0, entry } = outcome
    if (operation !== 'get') return { kind, error, revision }
    const found = entry && { value: Buffer.from(entry.value).toString(), revision: entry.revision }
    return { kind, error, ...found }
  }
  const close = async () => void (await Promise.all(watches.map((watch) => watch.close())))
  return { answer, close }
}

process.exit(await runProcessor({ name: 'state', version: '1.2.3', settings: noSettings, create }, process))
