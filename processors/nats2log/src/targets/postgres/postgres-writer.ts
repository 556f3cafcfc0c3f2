import { type RecordRow, recordRow } from '@llm-gateway/protocol'
import { errorCode } from '@llm-gateway/sdk'
import pg from 'pg'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'

export type PostgresTarget = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  /** `name` or `schema.name`, of letters, digits and `_`. */
  readonly table: string
  /** Undefined: without TLS. */
  readonly tls: Trust | undefined
}

const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }
const CONNECT_TIMEOUT_MS = 10_000
const QUERY_TIMEOUT_MS = 30_000
/** Classes of SQLSTATE about a value: another try can't help. */
const REFUSED = /^(?:22|23|54)/

type Column = readonly [name: string, type: string, value: (row: RecordRow, record: SinkRecord) => unknown]

const COLUMNS: readonly Column[] = [
  ['id', 'text PRIMARY KEY', (_, { id }) => id],
  ['time', 'timestamptz', ({ time }) => time],
  ['session_id', 'text', ({ sessionId }) => sessionId],
  ['transaction_id', 'text', ({ transactionId }) => transactionId],
  ['router', 'text', ({ router }) => router],
  ['original_router', 'text', ({ originalRouter }) => originalRouter],
  ['method', 'text', ({ method }) => method],
  ['status', 'bigint', ({ status }) => status],
  ['error_type', 'text', ({ errorType }) => errorType],
  ['duration_ms', 'bigint', ({ durationMs }) => durationMs],
  ['first_byte_ms', 'bigint', ({ firstByteMs }) => firstByteMs],
  ['model', 'text', ({ model }) => model],
  ['stream', 'boolean', ({ stream }) => stream],
  ['prompt_tokens', 'bigint', ({ usage }) => usage.prompt],
  ['completion_tokens', 'bigint', ({ usage }) => usage.completion],
  ['total_tokens', 'bigint', ({ usage }) => usage.total],
  ['cached_tokens', 'bigint', ({ usage }) => usage.cached],
  // Not jsonb, which refuses \u0000 and parses every record.
  ['record', 'json', (_, { bytes }) => storableJson(new TextDecoder().decode(bytes))],
]

/**
 * Inserts each record as a row with its Nats-Msg-Id as the key; an existing row stays unchanged. Makes the table when
 * permitted.
 */
export function createPostgresWriter(options: PostgresTarget): Writer {
  const { tls, table, ...place } = options
  let connected: pg.Client | undefined
  const close = async (): Promise<void> => {
    const client = connected
    connected = undefined
    await client?.end().catch(() => undefined) // the connection is given up anyway
  }
  const connect = async (): Promise<pg.Client> => {
    if (connected !== undefined) return connected
    const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS }
    const client = new pg.Client({ ...place, ...limits, ssl: tls ?? false, application_name: 'llm-gateway' })
    // Without a listener a lost connection would end the process.
    client.on('error', () => {
      if (connected === client) connected = undefined
    })
    try {
      await client.connect()
      await makeTable(client, table)
    } catch (error) {
      await client.end().catch(() => undefined) // the connection was never made
      throw error
    }
    connected = client
    return client
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    try {
      const client = await connect()
      await client.query(insertion(table, records.length), records.flatMap(valuesOf))
      return DELIVERED
    } catch (error) {
      const code = errorCode(error)
      const isRefused = REFUSED.test(code)
      if (!isRefused) await close()
      if (isRefused && records.length > 1) return await splitBatch(records, write)
      return allFailed(records, { code: `SQL_${code}`, again: !isRefused })
    }
  }
  return {
    batch: BATCH,
    concurrency: 1,
    open: async () => {
      try {
        await connect()
        return undefined
      } catch (error) {
        return errorCode(error)
      }
    },
    write: async (records) => (records.length === 0 ? DELIVERED : await write(records)),
    close,
  }
}

/** Makes the table when it is missing; a user without that right can still write to an existing table. */
async function makeTable(client: pg.Client, table: string): Promise<void> {
  const known = await client.query('SELECT to_regclass($1) AS name', [table])
  if (known.rows[0]?.name !== null) return
  const columns = COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')
  await client.query(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`)
  await client.query(`CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_time ON ${table} (time)`)
}

function insertion(table: string, rows: number): string {
  const width = COLUMNS.length
  const values = Array.from({ length: rows }, (_, row) => {
    return `(${COLUMNS.map((_column, column) => `$${row * width + column + 1}`).join(',')})`
  })
  const names = COLUMNS.map(([name]) => name).join(',')
  return `INSERT INTO ${table} (${names}) VALUES ${values.join(',')} ON CONFLICT (id) DO NOTHING`
}

/** Matches after an even number of backslashes, which escape each other and leave the next backslash unescaped. */
const ESCAPED = '(?<=(?<!\\\\)(?:\\\\\\\\)*'
const NUL = new RegExp(`\\\\u0000${ESCAPED}\\\\u0000)`, 'g')
const HIGH = '\\\\u[dD][89abAB][0-9a-fA-F]{2}'
const LOW = '\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
const LONE_HIGH = new RegExp(`${HIGH}(?!${LOW})${ESCAPED}${HIGH})`, 'g')
const LONE_LOW = new RegExp(`${LOW}(?<!${HIGH}${LOW})${ESCAPED}${LOW})`, 'g')
const REPLACEMENT = '\\ufffd'

/**
 * Replaces values that PostgreSQL can't read (\u0000, half surrogate pairs). With them PostgreSQL would refuse to read
 * the whole record, in any query.
 */
function storableJson(text: string): string {
  if (!text.includes('\\u')) return text
  return text.replace(NUL, REPLACEMENT).replace(LONE_HIGH, REPLACEMENT).replace(LONE_LOW, REPLACEMENT)
}

function valuesOf(record: SinkRecord): readonly unknown[] {
  const row = recordRow(record.bytes)
  return COLUMNS.map(([, , value]) => value(row, record) ?? null)
}
