import {
  call,
  choice,
  type Expression,
  firstKeyOf,
  idOf,
  keyed,
  parameter,
  propertyOf,
  type Resource,
  type Value,
  type ValueObject,
  variable,
} from '../model/value.ts'
import { RECORD_STREAM } from './record-columns.ts'
import type { RecordPlace } from './records.ts'

/**
 * The supervisor's command `container` fills the shares and starts everything; the set `azure` has the sink that writes
 * to the data collection rule.
 */
const PROGRAM = ['/usr/bin/node', '/app/gateway/ginit/src/main.ts'] as const
const CONTAINER_COMMAND = [...PROGRAM, 'container', '--with', 'azure'] as const
const ALIVE_COMMAND = [...PROGRAM, 'health'] as const
const READY_COMMAND = [...PROGRAM, 'health', '--ready'] as const

const PORTS = [5380, 4222] as const
const WEB_INTERFACE_PORT = 8080

/** Variables that the container group refers to. */
export const CONTAINER_VARIABLES: ValueObject = {
  // The container group opens these ports, and the container lists them too.
  ports: call('concat', [PORTS.map(tcp), choice(parameter('webInterface'), [tcp(WEB_INTERFACE_PORT)], [])]),
}

export type ContainerGroupOptions = {
  readonly account: Resource
  readonly records: RecordPlace
  /** Resources that must exist before the container starts. */
  readonly after: readonly Resource[]
}

/**
 * Returns the container group: the gateway, its bus, its sinks and the web interface in one container, on the shares of
 * a storage account.
 */
export function containerGroup({ account, records, after }: ContainerGroupOptions): Resource {
  return {
    symbol: 'gateway',
    type: 'Microsoft.ContainerInstance/containerGroups',
    apiVersion: '2023-05-01',
    name: parameter('containerGroupName'),
    after,
    body: {
      location: parameter('location'),
      identity: { type: 'UserAssigned', userAssignedIdentities: keyed(idOf(records.identity), {}) },
      properties: {
        osType: 'Linux',
        sku: 'Standard',
        restartPolicy: 'Always',
        imageRegistryCredentials: choice(
          call('empty', [parameter('registryServer')]),
          [],
          [
            {
              server: parameter('registryServer'),
              username: parameter('registryUsername'),
              password: parameter('registryPassword'),
            },
          ],
        ),
        ipAddress: { type: 'Public', dnsNameLabel: parameter('dnsNameLabel'), ports: variable('ports') },
        volumes: [share('conf', account), share('log', account), { name: 'state', emptyDir: {} }],
        containers: [{ name: 'gateway', properties: container(records) }],
      },
    },
  }
}

function container(records: RecordPlace): ValueObject {
  return {
    image: parameter('image'),
    command: CONTAINER_COMMAND,
    environmentVariables: environment(records),
    ports: variable('ports'),
    resources: { requests: { cpu: parameter('cpu'), memoryInGB: parameter('memoryInGb') } },
    volumeMounts: ['conf', 'log', 'state'].map((name) => ({ name, mountPath: `/app/${name}`, readOnly: false })),
    readinessProbe: { exec: { command: READY_COMMAND }, periodSeconds: 10, timeoutSeconds: 10 },
    livenessProbe: {
      exec: { command: ALIVE_COMMAND },
      initialDelaySeconds: 60,
      periodSeconds: 30,
      timeoutSeconds: 10,
      failureThreshold: 4,
    },
  }
}

/** Returns the environment. Azure refuses a variable without a value, so variables of empty parameters are left out. */
function environment({ endpoint, rule, identity }: RecordPlace): Expression {
  const always: readonly Value[] = [
    { name: 'AISERVICE_API_BASE', value: parameter('aiServiceApiBase') },
    { name: 'NATS_TOKEN', secureValue: parameter('natsToken') },
    { name: 'AZURE_LOGS_URL', value: propertyOf(endpoint, 'logsIngestion', 'endpoint') },
    { name: 'AZURE_LOGS_RULE_ID', value: propertyOf(rule, 'immutableId') },
    { name: 'AZURE_LOGS_STREAM', value: RECORD_STREAM },
    { name: 'AZURE_CLIENT_ID', value: propertyOf(identity, 'clientId') },
  ]
  return call('concat', [
    always,
    secret('AISERVICE_API_KEY', 'aiServiceApiKey'),
    secret('GATEWAY_API_KEY', 'gatewayApiKey'),
    secret('GUI_SECRET', 'guiSecret'),
  ])
}

function secret(name: string, from: string): Expression {
  return choice(call('empty', [parameter(from)]), [], [{ name, secureValue: parameter(from) }])
}

function tcp(port: number): ValueObject {
  return { protocol: 'TCP', port }
}

function share(name: string, account: Resource): ValueObject {
  return {
    name,
    azureFile: {
      shareName: name,
      readOnly: false,
      storageAccountName: parameter('storageAccountName'),
      storageAccountKey: firstKeyOf(account),
    },
  }
}
