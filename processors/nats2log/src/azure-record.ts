import { isJsonObject } from '@llm-gateway/protocol'

/** The service cuts text values of a field at 32 KB, wherever that leaves a JSON text. */
const FIELD_BYTES = 32_000
/** As the gateway cuts what the bus doesn't take (wire, 3). */
const HEAD_BYTES = 4_096

type Fields = Readonly<Record<string, unknown>>

/**
 * A record as the service can hold it: each field of the request and of the response that is larger than 32 KB as JSON is
 * replaced by `{"cut":true,"bytes":n,"head":"first 4 KiB"}` and named in `cut`; with `timeField`, that field is added and
 * says when the call came in. The bytes as they came where nothing is to be changed.
 */
export function azureRecord(bytes: Uint8Array, timeField: string): Uint8Array {
  if (bytes.length <= FIELD_BYTES && timeField === '') return bytes
  const record = parsed(bytes)
  if (!isJsonObject(record)) return bytes
  const cut: string[] = []
  const fields = Object.entries(record).map(([name, value]) => [name, shortened(name, value, cut)] as const)
  const whole = new Map<string, unknown>(fields)
  if (cut.length > 0) whole.set('cut', [...new Set([...namesIn(record.cut), ...cut])])
  const time = startOf(record)
  if (timeField !== '' && time !== undefined && !whole.has(timeField)) whole.set(timeField, time)
  return Buffer.from(JSON.stringify(Object.fromEntries(whole)))
}

/** A side of the record field by field, anything else as one. */
function shortened(name: string, value: unknown, cut: string[]): unknown {
  if (!isJsonObject(value)) return cutField(name, value, cut)
  const fields = Object.entries(value).map(([key, field]) => [key, cutField(`${name}.${key}`, field, cut)])
  return Object.fromEntries(fields)
}

function cutField(path: string, value: unknown, cut: string[]): unknown {
  const text = JSON.stringify(value)
  // A text is at least a byte and at most three bytes of UTF-8 a unit.
  if (text.length * 3 <= FIELD_BYTES) return value
  const bytes = Buffer.from(text)
  if (bytes.length <= FIELD_BYTES) return value
  cut.push(path)
  return { cut: true, bytes: bytes.length, head: headOf(bytes) }
}

function headOf(bytes: Buffer): string {
  // Streaming keeps half a character at the end to itself.
  return new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES), { stream: true })
}

function startOf({ ingress_egress_timer: timer }: Fields): string | undefined {
  const start = isJsonObject(timer) && typeof timer.start === 'string' ? Date.parse(timer.start) : Number.NaN
  // The service reads times to the millisecond.
  return Number.isNaN(start) ? undefined : new Date(start).toISOString()
}

function namesIn(cut: unknown): readonly string[] {
  return Array.isArray(cut) ? cut.filter((name) => typeof name === 'string') : []
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined // No JSON text has this value; the service says what it thinks of the bytes.
  }
}
