import { RECORD_TABLE } from '../resources/record-columns.ts'

/** Names of the workbook's parameters. A query has them in braces, and Azure inserts their values. */
export const TIME_RANGE = 'TimeRange'
export const ROUTER = 'Router'
export const WANTED = 'Wanted'
/** The value of ROUTER for all routers. */
export const ALL_ROUTERS = '*'

export type Query = {
  readonly title: string
  readonly query: string
  readonly shape: 'timechart' | 'barchart' | 'table'
}

const ROWS = `${RECORD_TABLE}
| where '{${ROUTER}}' == '${ALL_ROUTERS}' or Router == '{${ROUTER}}'`
const STEP = `bin(TimeGenerated, {${TIME_RANGE}:grain})`
/** Joins lists of a record. A missing list becomes an empty list, since null would make the whole result null. */
const joined = (...paths: readonly string[]): string =>
  `array_concat(${paths.map((path) => `coalesce(Record.${path}, dynamic([]))`).join(', ')})`
const PROCESSORS = joined(
  'request.processors',
  'request.processors_async',
  'response.processors',
  'response.processors_async',
)

/** The query for the choices of ROUTER. */
export const ROUTERS_QUERY = `${RECORD_TABLE}
| where isnotempty(Router)
| distinct Router
| order by Router asc`

export const SECTIONS: readonly { readonly title: string; readonly queries: readonly Query[] }[] = [
  {
    title: 'Traffic',
    queries: [
      {
        title: 'Calls by router',
        shape: 'timechart',
        query: `${ROWS}
| summarize Calls = count() by ${STEP}, Router`,
      },
      {
        title: 'Answers by class of status',
        shape: 'timechart',
        query: `${ROWS}
| extend Class = iff(isnull(Status), 'none', strcat(tostring(Status / 100), 'xx'))
| summarize Calls = count() by ${STEP}, Class`,
      },
    ],
  },
  {
    title: 'Latency',
    queries: [
      {
        title: 'Time of a call, in milliseconds',
        shape: 'timechart',
        query: `${ROWS}
| summarize Median = percentile(DurationMs, 50), P95 = percentile(DurationMs, 95), P99 = percentile(DurationMs, 99) by ${STEP}`,
      },
      {
        title: 'Time of a call by router and model, in milliseconds',
        shape: 'table',
        query: `${ROWS}
| summarize Calls = count(), Median = percentile(DurationMs, 50), P95 = percentile(DurationMs, 95), Longest = max(DurationMs) by Router, Model
| order by P95 desc`,
      },
      {
        title: 'Time that the LLM API took of it, in milliseconds',
        shape: 'timechart',
        query: `${ROWS}
| extend LlmMs = tolong(Record.response.outbound_inbound_timer.duration)
| where isnotnull(LlmMs)
| summarize Median = percentile(LlmMs, 50), P95 = percentile(LlmMs, 95) by ${STEP}`,
      },
    ],
  },
  {
    title: 'Tokens',
    queries: [
      {
        title: 'Tokens of prompts and answers',
        shape: 'timechart',
        query: `${ROWS}
| summarize Prompts = sum(PromptTokens), Answers = sum(CompletionTokens) by ${STEP}`,
      },
      {
        title: 'Tokens by router and model',
        shape: 'table',
        query: `${ROWS}
| summarize Calls = count(), Prompts = sum(PromptTokens), Answers = sum(CompletionTokens), Total = sum(TotalTokens) by Router, Model
| order by Total desc`,
      },
    ],
  },
  {
    title: 'Processors',
    queries: [
      {
        title: 'Calls of processors and those that did not complete',
        shape: 'table',
        query: `${ROWS}
| extend Asked = ${PROCESSORS}
| mv-expand Processor = Asked to typeof(dynamic)
| extend Name = tostring(Processor.name), Completed = tobool(Processor.details.completed), Ms = tolong(Processor.details.timestamp.duration)
| summarize Calls = count(), Incomplete = countif(not(Completed)), Median = percentile(Ms, 50), P95 = percentile(Ms, 95) by Name
| order by Incomplete desc, Name asc`,
      },
    ],
  },
  {
    title: 'Errors',
    queries: [
      {
        title: 'Errors by type',
        shape: 'barchart',
        query: `${ROWS}
| where isnotempty(ErrorType)
| summarize Calls = count() by ErrorType
| order by Calls desc`,
      },
      {
        title: 'The latest calls that failed',
        shape: 'table',
        query: `${ROWS}
| where isnotempty(ErrorType) or Status >= 400
| top 100 by TimeGenerated desc
| extend Errors = tostring(${joined('request.error', 'response.error')})
| project TimeGenerated, Router, Status, ErrorType, Errors, TransactionId`,
      },
    ],
  },
  {
    title: 'Find a transaction',
    queries: [
      {
        title: 'By the id of a transaction, of a session or of a record',
        shape: 'table',
        query: `${RECORD_TABLE}
| where isnotempty('{${WANTED}}')
| where TransactionId == '{${WANTED}}' or SessionId == '{${WANTED}}' or RecordId == '{${WANTED}}'
| top 100 by TimeGenerated desc
| project TimeGenerated, TransactionId, SessionId, RecordId, Router, Status, ErrorType, DurationMs, Model, TotalTokens, Record`,
      },
    ],
  },
]
