import type { Parameter } from '../model/template.ts'
import { parameter, type Resource } from '../model/value.ts'

const API = '2023-05-01'

export const STORAGE_PARAMETERS: Readonly<Record<string, Parameter>> = {
  storageSku: {
    type: 'string',
    description: 'Where copies of the shares are kept.',
    default: 'Standard_LRS',
    allowed: ['Standard_LRS', 'Standard_ZRS', 'Standard_GRS', 'Standard_GZRS'],
  },
  logShareGb: {
    type: 'int',
    description: 'Size of the share log in GB.',
    default: 100,
    minValue: 1,
    maxValue: 5120,
  },
}

/** Returns the account by its name; without a body it refers to an existing account. */
export function storageAccount(body?: Resource['body']): Resource {
  const known = { symbol: 'storage', type: 'Microsoft.Storage/storageAccounts', apiVersion: API } as const
  const name = parameter('storageAccountName')
  return body === undefined ? { ...known, name, existing: true } : { ...known, name, body }
}

export type Storage = {
  readonly account: Resource
  readonly all: readonly Resource[]
  readonly shares: readonly Resource[]
}

/** Makes a storage account with the shares that the container mounts. */
export function newStorage(): Storage {
  const account = storageAccount({
    location: parameter('location'),
    kind: 'StorageV2',
    sku: { name: parameter('storageSku') },
    properties: {
      minimumTlsVersion: 'TLS1_2',
      supportsHttpsTrafficOnly: true,
      allowBlobPublicAccess: false,
      // Container Instances can mount a share only with the account's key.
      allowSharedKeyAccess: true,
    },
  })
  const files: Resource = {
    symbol: 'files',
    type: `${account.type}/fileServices`,
    apiVersion: API,
    parent: account,
    name: 'default',
    body: { properties: { shareDeleteRetentionPolicy: { enabled: true, days: 7 } } },
  }
  const share = (name: string, quota: Resource['name']): Resource => ({
    symbol: `${name}Share`,
    type: `${files.type}/shares`,
    apiVersion: API,
    parent: files,
    name,
    body: { properties: { shareQuota: quota } },
  })
  const shares = [share('conf', 1), share('log', parameter('logShareGb'))]
  return { account, shares, all: [account, files, ...shares] }
}
