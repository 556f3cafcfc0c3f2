/** The table that the sink `azure_logs_ingestion_writer` writes to, and the stream by which the rule takes rows. */
export const RECORD_TABLE = 'LlmGateway_CL'
export const RECORD_STREAM = `Custom-${RECORD_TABLE}`

export type RecordColumn = { readonly name: string; readonly type: 'datetime' | 'string' | 'long' | 'dynamic' }

/** A row of that sink, column by column. */
export const RECORD_COLUMNS: readonly RecordColumn[] = [
  { name: 'TimeGenerated', type: 'datetime' },
  { name: 'RecordId', type: 'string' },
  { name: 'SessionId', type: 'string' },
  { name: 'TransactionId', type: 'string' },
  { name: 'Router', type: 'string' },
  { name: 'Status', type: 'long' },
  { name: 'ErrorType', type: 'string' },
  { name: 'DurationMs', type: 'long' },
  { name: 'Model', type: 'string' },
  { name: 'PromptTokens', type: 'long' },
  { name: 'CompletionTokens', type: 'long' },
  { name: 'TotalTokens', type: 'long' },
  { name: 'Record', type: 'dynamic' },
]
