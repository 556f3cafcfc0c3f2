import { call, idOf, parameter, type Resource } from '../model/value.ts'
import { ALL_ROUTERS, type Query, ROUTER, ROUTERS_QUERY, SECTIONS, TIME_RANGE, WANTED } from './queries.ts'

const TITLE = 'LLM gateway'
const LOG_ANALYTICS = { queryType: 0, resourceType: 'microsoft.operationalinsights/workspaces' } as const
const [TEXT, DROP_DOWN, TIME] = [1, 2, 4] as const
const [MARKDOWN_ITEM, QUERY_ITEM, PARAMETERS_ITEM] = [1, 3, 9] as const
/** The option of a drop-down list that stands for all others; a query gets `selectAllValue` for it. */
const ALL_OPTION = 'value::all'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Returns the workbook of a workspace's records. */
export function recordsWorkbook(workspace: Resource): Resource {
  return {
    symbol: 'workbook',
    type: 'Microsoft.Insights/workbooks',
    apiVersion: '2022-04-01',
    name: call('guid', [idOf(workspace), 'llm-gateway']),
    body: {
      location: parameter('location'),
      kind: 'shared',
      properties: {
        displayName: TITLE,
        category: 'workbook',
        version: '1.0',
        sourceId: idOf(workspace),
        serializedData: JSON.stringify(workbookContent()),
      },
    },
  }
}

/** Returns the workbook's content: the parameters, then a heading and the charts of each section. */
export function workbookContent() {
  const sections = SECTIONS.flatMap(({ title, queries }, section) => [
    { type: MARKDOWN_ITEM, content: { json: `## ${title}` }, name: `section ${section}` },
    ...queries.map((query, index) => queryItem(query, `query ${section}.${index}`)),
  ])
  return {
    version: 'Notebook/1.0',
    items: [{ type: PARAMETERS_ITEM, content: parametersContent(), name: 'parameters' }, ...sections],
    isLocked: false,
    $schema: 'https://github.com/Microsoft/Application-Insights-Workbooks/blob/master/schema/workbook.json',
  }
}

function parametersContent() {
  const known = { version: 'KqlParameterItem/1.0' } as const
  const durations = [HOUR_MS, 4 * HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS]
  return {
    version: 'KqlParameterItem/1.0',
    ...LOG_ANALYTICS,
    style: 'pills',
    parameters: [
      {
        ...known,
        id: 'b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f01',
        name: TIME_RANGE,
        label: 'Time',
        type: TIME,
        isRequired: true,
        value: { durationMs: DAY_MS },
        typeSettings: { selectableValues: durations.map((durationMs) => ({ durationMs })), allowCustom: true },
      },
      {
        ...known,
        ...LOG_ANALYTICS,
        id: 'b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f02',
        name: ROUTER,
        label: 'Router',
        type: DROP_DOWN,
        isRequired: true,
        query: ROUTERS_QUERY,
        value: ALL_OPTION,
        timeContextFromParameter: TIME_RANGE,
        typeSettings: { additionalResourceOptions: [ALL_OPTION], selectAllValue: ALL_ROUTERS, showDefault: false },
      },
      {
        ...known,
        id: 'b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f03',
        name: WANTED,
        label: 'Transaction, session or record',
        type: TEXT,
        value: '',
      },
    ],
  }
}

function queryItem({ title, query, shape }: Query, name: string) {
  return {
    type: QUERY_ITEM,
    content: {
      version: 'KqlItem/1.0',
      ...LOG_ANALYTICS,
      title,
      query,
      visualization: shape,
      size: 0,
      showExportToExcel: shape === 'table',
      timeContextFromParameter: TIME_RANGE,
    },
    name,
  }
}
