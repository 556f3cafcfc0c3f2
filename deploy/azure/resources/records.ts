import type { Parameter } from '../model/template.ts'
import { call, idOf, parameter, propertyOf, type Resource, type ValueObject } from '../model/value.ts'
import { RECORD_COLUMNS, RECORD_STREAM, RECORD_TABLE } from './record-columns.ts'

const MOST_DAYS = 730
const RULES_API = '2023-03-11'
/** Azure's role Monitoring Metrics Publisher, which may send to a data collection rule. */
const PUBLISHER_ROLE = '3913510d-42f4-4e42-8a64-420c390055eb'

export const RECORD_PARAMETERS: Readonly<Record<string, Parameter>> = {
  workspaceName: {
    type: 'string',
    description: 'Name of the Log Analytics workspace.',
    default: 'llm-gateway',
    minLength: 4,
    maxLength: 63,
  },
  workspaceSku: {
    type: 'string',
    description: 'How the workspace is paid for.',
    default: 'PerGB2018',
    allowed: ['PerGB2018', 'CapacityReservation', 'Standalone', 'PerNode'],
  },
  retentionDays: {
    type: 'int',
    description: 'How many days records are kept.',
    default: 30,
    minValue: 30,
    maxValue: MOST_DAYS,
  },
}

/** The resources to which the container sends records. */
export type RecordPlace = { readonly endpoint: Resource; readonly rule: Resource; readonly identity: Resource }

/** Refers to the three resources by name in a resource group that has them. */
export function existingRecords(): RecordPlace {
  return {
    endpoint: { ...ENDPOINT, existing: true },
    rule: { ...RULE, existing: true },
    identity: { ...IDENTITY, existing: true },
  }
}

export type Records = RecordPlace & {
  readonly workspace: Resource
  readonly grant: Resource
  readonly all: readonly Resource[]
}

/**
 * Makes a workspace with a table for records, the endpoint and the rule into it, and an identity that may use the rule.
 */
export function newRecords(): Records {
  const workspace: Resource = {
    symbol: 'workspace',
    type: 'Microsoft.OperationalInsights/workspaces',
    apiVersion: '2023-09-01',
    name: parameter('workspaceName'),
    body: {
      location: parameter('location'),
      properties: { sku: { name: parameter('workspaceSku') }, retentionInDays: parameter('retentionDays') },
    },
  }
  const table: Resource = {
    symbol: 'table',
    type: `${workspace.type}/tables`,
    apiVersion: '2022-10-01',
    parent: workspace,
    name: RECORD_TABLE,
    body: { properties: { plan: 'Analytics', schema: { name: RECORD_TABLE, columns: columns() } } },
  }
  const endpoint: Resource = {
    ...ENDPOINT,
    body: {
      location: parameter('location'),
      kind: 'Linux',
      properties: { networkAcls: { publicNetworkAccess: 'Enabled' } },
    },
  }
  const rule: Resource = { ...RULE, after: [table], body: ruleBody(endpoint, workspace) }
  const identity: Resource = { ...IDENTITY, body: { location: parameter('location') } }
  const grant: Resource = {
    symbol: 'grant',
    type: 'Microsoft.Authorization/roleAssignments',
    apiVersion: '2022-04-01',
    scope: rule,
    name: call('guid', [idOf(rule), idOf(identity), PUBLISHER_ROLE]),
    body: {
      properties: {
        roleDefinitionId: call('subscriptionResourceId', ['Microsoft.Authorization/roleDefinitions', PUBLISHER_ROLE]),
        principalId: propertyOf(identity, 'principalId'),
        // Without the type Azure looks the id up in its directory, where a new identity may be missing for minutes.
        principalType: 'ServicePrincipal',
      },
    },
  }
  return { workspace, endpoint, rule, identity, grant, all: [workspace, table, endpoint, rule, identity, grant] }
}

const ENDPOINT = {
  symbol: 'endpoint',
  type: 'Microsoft.Insights/dataCollectionEndpoints',
  apiVersion: RULES_API,
  name: parameter('dataCollectionEndpointName'),
} as const satisfies Resource
const RULE = {
  symbol: 'rule',
  type: 'Microsoft.Insights/dataCollectionRules',
  apiVersion: RULES_API,
  name: parameter('dataCollectionRuleName'),
} as const satisfies Resource
const IDENTITY = {
  symbol: 'identity',
  type: 'Microsoft.ManagedIdentity/userAssignedIdentities',
  apiVersion: '2023-01-31',
  name: parameter('identityName'),
} as const satisfies Resource

function ruleBody(endpoint: Resource, workspace: Resource): ValueObject {
  const destination = 'workspace'
  return {
    location: parameter('location'),
    properties: {
      dataCollectionEndpointId: idOf(endpoint),
      streamDeclarations: { [RECORD_STREAM]: { columns: columns() } },
      destinations: { logAnalytics: [{ workspaceResourceId: idOf(workspace), name: destination }] },
      dataFlows: [
        {
          streams: [RECORD_STREAM],
          destinations: [destination],
          transformKql: 'source',
          outputStream: RECORD_STREAM,
        },
      ],
    },
  }
}

function columns(): readonly ValueObject[] {
  return RECORD_COLUMNS.map(({ name, type }) => ({ name, type }))
}
