import type { Output, Template } from './model/template.ts'
import { choice, idOf, parameter, propertyOf, type Resource, text } from './model/value.ts'
import { CONTAINER_VARIABLES, containerGroup } from './resources/container-group.ts'
import { containerParameters } from './resources/container-parameters.ts'
import { existingRecords, newRecords, RECORD_PARAMETERS } from './resources/records.ts'
import { newStorage, STORAGE_PARAMETERS, storageAccount } from './resources/storage.ts'
import { recordsWorkbook } from './workbook/workbook.ts'

/** Returns the template of all resources that the gateway needs in Azure, in one resource group. */
export function fullTemplate(version: string): Template {
  const storage = newStorage()
  const records = newRecords()
  const { account } = storage
  const group = containerGroup({ account, records, after: [...storage.shares, records.grant] })
  const workbook = recordsWorkbook(records.workspace)
  return {
    description:
      'An LLM gateway: its container, shares for configuration and logs, a workspace for records, a workbook.',
    parameters: { ...containerParameters(version), ...STORAGE_PARAMETERS, ...RECORD_PARAMETERS },
    variables: CONTAINER_VARIABLES,
    resources: [...storage.all, ...records.all, workbook, group],
    outputs: {
      ...containerOutputs(group),
      workspaceId: {
        description: 'Id of the workspace, whose workbooks show the records.',
        value: idOf(records.workspace),
      },
      storageAccountName: {
        description: 'Storage account with the shares conf and log.',
        value: parameter('storageAccountName'),
      },
    },
  }
}

/**
 * Returns the template of the container group alone, on existing shares and an existing rule: for a new image, other
 * variables or another size.
 */
export function containerTemplate(version: string): Template {
  const account = storageAccount()
  const records = existingRecords()
  const { endpoint, rule, identity } = records
  const group = containerGroup({ account, records, after: [] })
  return {
    description: 'The container of an LLM gateway anew, on the shares and the workspace of an earlier deployment.',
    parameters: containerParameters(version),
    variables: CONTAINER_VARIABLES,
    resources: [account, endpoint, rule, identity, group],
    outputs: containerOutputs(group),
  }
}

function containerOutputs(group: Resource): Readonly<Record<string, Output>> {
  const host = propertyOf(group, 'ipAddress', 'fqdn')
  return {
    name: { description: 'Name of the container group.', value: parameter('containerGroupName') },
    address: { description: 'Address of the gateway.', value: text('http://', host, ':5380') },
    busAddress: { description: 'Address of the message bus, for processors.', value: text('nats://', host, ':4222') },
    webInterfaceAddress: {
      // Not the DNS name: the interface answers only to names in its file, and Azure chooses a part of the DNS name.
      description: 'Address of the web interface; empty where it was not asked for.',
      value: choice(
        parameter('webInterface'),
        text('http://', propertyOf(group, 'ipAddress', 'ip'), ':8080/login'),
        '',
      ),
    },
  }
}
