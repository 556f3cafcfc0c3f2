import { Socket } from 'node:net'
import { type RecordRow, recordRow } from '@llm-gateway/protocol'
import { errorCode, withinTime } from '@llm-gateway/sdk'
import pg from 'pg'
import { mapInTurns } from '../map-in-turns.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { PostgresAnswers } from './postgres-answers.ts'

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
  /** The time after which the server ends a statement, beside the time that its bytes take. Default: 30,000 ms. */
  readonly statementMs?: number
}

/** `query_timeout`: the milliseconds for its answer; default: those of the connection. */
type Statement = { readonly text: string; values?: unknown[]; readonly query_timeout?: number }

type Connection = { readonly client: pg.Client; readonly socket: Socket; readonly answers: PostgresAnswers }

const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }
const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_MS = 30_000
/** The time of a statement grows by a second for as much: a large record would else never pass a slow line. */
const BYTES_PER_SECOND = 128 * 1024
/** The time that an answer may need after the server has ended a statement. */
const ANSWER_MS = 10_000
const CLOSE_MS = 1_000
/** A server may send any text as its code, and codes become log lines, counts and headers of dead letters. */
const SQLSTATE = /^[0-9A-Z]{5}$/
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
  const { table, statementMs = STATEMENT_MS } = options
  let connected: Connection | undefined
  const close = async (): Promise<void> => {
    const connection = connected
    connected = undefined
    if (connection !== undefined) await end(connection)
  }
  const connect = async (): Promise<Connection> => {
    if (connected !== undefined) return connected
    const connection = newConnection(options)
    // Without a listener a lost connection would end the process.
    connection.client.on('error', () => {
      if (connected === connection) connected = undefined
      // A server may report an error and leave the connection open. `end` never rejects.
      void end(connection)
    })
    try {
      await connection.client.connect()
      await makeTable(connection, table)
    } catch (error) {
      await end(connection)
      throw error
    }
    connected = connection
    return connection
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    let connection: Connection | undefined
    try {
      connection = await connect()
      // The server ends a statement that waits for a lock. Each lost connection would leave a statement behind that goes
      // on waiting and takes up a connection. The limit is set for the transaction only: behind a pooler, a connection's
      // setting could apply to other clients too.
      const limitMs = statementMs + transferMs(records)
      const values = (await mapInTurns(records, valuesOf)).flat()
      await ask(connection, { text: `BEGIN; SET LOCAL statement_timeout = ${limitMs}` })
      await ask(connection, { text: insertion(table, records.length), values, query_timeout: limitMs + ANSWER_MS })
      await ask(connection, { text: 'COMMIT' })
      return DELIVERED
    } catch (error) {
      const code = codeOf(error)
      // While the connection is made no record can be at fault: PostgreSQL refuses a table that two sinks make at once.
      const isRefused = connection !== undefined && REFUSED.test(code)
      if (!isRefused || !(await rolledBack(connected))) await close()
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
        return codeOf(error)
      }
    },
    write: async (records) => (records.length === 0 ? DELIVERED : await write(records)),
    close,
  }
}

function newConnection(options: PostgresTarget): Connection {
  const { tls, host, port, database, user, password, statementMs = STATEMENT_MS } = options
  const socket = new Socket()
  const answers = new PostgresAnswers()
  const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: statementMs + ANSWER_MS }
  const names = { ssl: tls ?? false, application_name: 'llm-gateway' }
  const client = new pg.Client({ host, port, database, user, password, ...limits, ...names, stream: () => socket })
  if (tls === undefined) answers.guard(socket)
  else {
    const { connection } = client
    connection.once('sslconnect', () => answers.guard(connection.stream))
  }
  return { client, socket, answers }
}

/** Sends a statement and returns its answer. */
async function ask({ client, answers }: Connection, statement: Statement) {
  answers.restart()
  return await client.query(statement)
}

function transferMs(records: readonly SinkRecord[]): number {
  const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0)
  return Math.ceil((bytes / BYTES_PER_SECOND) * 1_000)
}

/** Ends a connection. A server that has stopped answering can't hold this up. */
async function end({ client, socket }: Connection): Promise<void> {
  await withinTime(client.end(), CLOSE_MS)
  socket.destroy()
}

async function rolledBack(connection: Connection | undefined): Promise<boolean> {
  try {
    if (connection !== undefined) await ask(connection, { text: 'ROLLBACK' })
    return true
  } catch {
    return false // the connection is closed, and the server rolls back
  }
}

/**
 * Returns the server's SQLSTATE or the system's code. The client's errors without one mean a broken connection or no
 * answer in time.
 */
function codeOf(error: unknown): string {
  const code = errorCode(error)
  if (error instanceof pg.DatabaseError) return SQLSTATE.test(code) ? code : 'BAD_ANSWER'
  return code === 'UNKNOWN' ? 'NO_ANSWER' : code
}

/** Makes the table when it is missing; a user without that right can still write to an existing table. */
async function makeTable(connection: Connection, table: string): Promise<void> {
  const known = await ask(connection, { text: 'SELECT to_regclass($1) AS name', values: [table] })
  if (known.rows[0]?.name !== null) return
  const columns = COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')
  await ask(connection, { text: `CREATE TABLE IF NOT EXISTS ${table} (${columns})` })
  await ask(connection, { text: `CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_time ON ${table} (time)` })
}

function insertion(table: string, rows: number): string {
  const width = COLUMNS.length
  const values = Array.from({ length: rows }, (_, row) => {
    return `(${COLUMNS.map((_column, column) => `$${row * width + column + 1}`).join(',')})`
  })
  const names = COLUMNS.map(([name]) => name).join(',')
  return `INSERT INTO ${table} (${names}) VALUES ${values.join(',')} ON CONFLICT (id) DO NOTHING`
}

/** An even number of backslashes, which escape each other and leave the next backslash unescaped. */
const EVEN = '(?<!\\\\)(?:\\\\\\\\)*'
const NUL = new RegExp(`\\\\u0000(?<=${EVEN}\\\\u0000)`, 'g')
const HIGH = '\\\\u[dD][89abAB][0-9a-fA-F]{2}'
const LOW = '\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
const LONE_HIGH = new RegExp(`${HIGH}(?!${LOW})(?<=${EVEN}${HIGH})`, 'g')
/** A high half whose backslash is escaped is a text, and leaves the low half behind it alone. */
const LONE_LOW = new RegExp(`${LOW}(?<!${EVEN}${HIGH}${LOW})(?<=${EVEN}${LOW})`, 'g')
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
