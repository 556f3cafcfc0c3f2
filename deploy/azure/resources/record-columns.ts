/** The table to which the sink `azure_logs_ingestion_writer` writes, and the stream of the rule that takes its rows. */
export const RECORD_TABLE = 'LlmGateway_CL'
export const RECORD_STREAM = `Custom-${RECORD_TABLE}`

export type RecordColumn = { readonly name: string; readonly type: 'datetime' | 'string' | 'long' | 'dynamic' }

/** The columns of the sink's rows. */
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
