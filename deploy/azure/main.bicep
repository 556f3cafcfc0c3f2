// Made by `make generate` from deploy/azure; don’t edit it.

metadata description = 'An LLM gateway: its container, shares for configuration and logs, a workspace for records, a workbook.'

@description('Base URL of the LLM API behind the default routers, for example https://your-llm-api.example.')
@minLength(8)
param aiServiceApiBase string

@description('Secret of the message bus. Whoever has it can read all traffic and answer calls.')
@secure()
@minLength(16)
param natsToken string

@description('The real key of the LLM API, for the router /restricted/. That router is off while this is empty.')
@secure()
param aiServiceApiKey string = ''

@description('The key that the router /restricted/ asks of callers. That router is off while this is empty.')
@secure()
param gatewayApiKey string = ''

@description('Whether the web interface is reachable, on port 8080. It needs guiSecret.')
param webInterface bool = false

@description('Password of the web interface. While it is empty nobody can log in.')
@secure()
param guiSecret string = ''

@description('Region of everything that is made.')
param location string = resourceGroup().location

@description('Name of the container group.')
@minLength(1)
@maxLength(63)
param containerGroupName string = 'llm-gateway'

@description('First part of the public host name. Azure puts a part of its own behind it.')
@minLength(5)
@maxLength(63)
param dnsNameLabel string = 'llm-gateway-${uniqueString(resourceGroup().id)}'

@description('Image of the gateway, with its registry, for example registry.example/llm-gateway:1.0.0.')
param image string = 'llm-gateway:0.1.0'

@description('Host name of a registry that asks for a login; empty: none is needed.')
param registryServer string = ''

@description('User of that registry.')
param registryUsername string = ''

@description('Password of that user.')
@secure()
param registryPassword string = ''

@description('CPU cores.')
@minValue(1)
@maxValue(16)
param cpu int = 2

@description('Memory in GB.')
@minValue(2)
@maxValue(64)
param memoryInGb int = 4

@description('Name of the storage account with the shares conf and log.')
@minLength(3)
@maxLength(24)
param storageAccountName string = 'llmgw${uniqueString(resourceGroup().id)}'

@description('Name of the endpoint that takes records.')
param dataCollectionEndpointName string = 'llm-gateway-records'

@description('Name of the rule that puts records into their table.')
param dataCollectionRuleName string = 'llm-gateway-records'

@description('Name of the identity by which the container writes records.')
param identityName string = 'llm-gateway'

@description('Where copies of the shares are kept.')
@allowed([
  'Standard_LRS'
  'Standard_ZRS'
  'Standard_GRS'
  'Standard_GZRS'
])
param storageSku string = 'Standard_LRS'

@description('Size of the share log in GB.')
@minValue(1)
@maxValue(5120)
param logShareGb int = 100

@description('Name of the Log Analytics workspace.')
@minLength(4)
@maxLength(63)
param workspaceName string = 'llm-gateway'

@description('How the workspace is paid for.')
@allowed([
  'PerGB2018'
  'CapacityReservation'
  'Standalone'
  'PerNode'
])
param workspaceSku string = 'PerGB2018'

@description('How many days records are kept.')
@minValue(30)
@maxValue(730)
param retentionDays int = 30

var ports = concat([
  {
    protocol: 'TCP'
    port: 5380
  }
  {
    protocol: 'TCP'
    port: 4222
  }
], webInterface ? [
  {
    protocol: 'TCP'
    port: 8080
  }
] : [])

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: storageAccountName
  location: location
  kind: 'StorageV2'
  sku: {
    name: storageSku
  }
  properties: {
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    allowBlobPublicAccess: false
    allowSharedKeyAccess: true
  }
}

resource files 'Microsoft.Storage/storageAccounts/fileServices@2023-05-01' = {
  parent: storage
  name: 'default'
  properties: {
    shareDeleteRetentionPolicy: {
      enabled: true
      days: 7
    }
  }
}

resource confShare 'Microsoft.Storage/storageAccounts/fileServices/shares@2023-05-01' = {
  parent: files
  name: 'conf'
  properties: {
    shareQuota: 1
  }
}

resource logShare 'Microsoft.Storage/storageAccounts/fileServices/shares@2023-05-01' = {
  parent: files
  name: 'log'
  properties: {
    shareQuota: logShareGb
  }
}

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: workspaceName
  location: location
  properties: {
    sku: {
      name: workspaceSku
    }
    retentionInDays: retentionDays
  }
}

resource table 'Microsoft.OperationalInsights/workspaces/tables@2022-10-01' = {
  parent: workspace
  name: 'LlmGateway_CL'
  properties: {
    plan: 'Analytics'
    schema: {
      name: 'LlmGateway_CL'
      columns: [
        {
          name: 'TimeGenerated'
          type: 'datetime'
        }
        {
          name: 'RecordId'
          type: 'string'
        }
        {
          name: 'SessionId'
          type: 'string'
        }
        {
          name: 'TransactionId'
          type: 'string'
        }
        {
          name: 'Router'
          type: 'string'
        }
        {
          name: 'Status'
          type: 'long'
        }
        {
          name: 'ErrorType'
          type: 'string'
        }
        {
          name: 'DurationMs'
          type: 'long'
        }
        {
          name: 'Model'
          type: 'string'
        }
        {
          name: 'PromptTokens'
          type: 'long'
        }
        {
          name: 'CompletionTokens'
          type: 'long'
        }
        {
          name: 'TotalTokens'
          type: 'long'
        }
        {
          name: 'Record'
          type: 'dynamic'
        }
      ]
    }
  }
}

resource endpoint 'Microsoft.Insights/dataCollectionEndpoints@2023-03-11' = {
  name: dataCollectionEndpointName
  location: location
  kind: 'Linux'
  properties: {
    networkAcls: {
      publicNetworkAccess: 'Enabled'
    }
  }
}

resource rule 'Microsoft.Insights/dataCollectionRules@2023-03-11' = {
  name: dataCollectionRuleName
  location: location
  properties: {
    dataCollectionEndpointId: endpoint.id
    streamDeclarations: {
      'Custom-LlmGateway_CL': {
        columns: [
          {
            name: 'TimeGenerated'
            type: 'datetime'
          }
          {
            name: 'RecordId'
            type: 'string'
          }
          {
            name: 'SessionId'
            type: 'string'
          }
          {
            name: 'TransactionId'
            type: 'string'
          }
          {
            name: 'Router'
            type: 'string'
          }
          {
            name: 'Status'
            type: 'long'
          }
          {
            name: 'ErrorType'
            type: 'string'
          }
          {
            name: 'DurationMs'
            type: 'long'
          }
          {
            name: 'Model'
            type: 'string'
          }
          {
            name: 'PromptTokens'
            type: 'long'
          }
          {
            name: 'CompletionTokens'
            type: 'long'
          }
          {
            name: 'TotalTokens'
            type: 'long'
          }
          {
            name: 'Record'
            type: 'dynamic'
          }
        ]
      }
    }
    destinations: {
      logAnalytics: [
        {
          workspaceResourceId: workspace.id
          name: 'workspace'
        }
      ]
    }
    dataFlows: [
      {
        streams: [
          'Custom-LlmGateway_CL'
        ]
        destinations: [
          'workspace'
        ]
        transformKql: 'source'
        outputStream: 'Custom-LlmGateway_CL'
      }
    ]
  }
  dependsOn: [
    table
  ]
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: identityName
  location: location
}

resource grant 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: rule
  name: guid(rule.id, identity.id, '3913510d-42f4-4e42-8a64-420c390055eb')
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '3913510d-42f4-4e42-8a64-420c390055eb')
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

resource workbook 'Microsoft.Insights/workbooks@2022-04-01' = {
  name: guid(workspace.id, 'llm-gateway')
  location: location
  kind: 'shared'
  properties: {
    displayName: 'LLM gateway'
    category: 'workbook'
    version: '1.0'
    sourceId: workspace.id
    serializedData: '{"version":"Notebook/1.0","items":[{"type":9,"content":{"version":"KqlParameterItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","style":"pills","parameters":[{"version":"KqlParameterItem/1.0","id":"b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f01","name":"TimeRange","label":"Time","type":4,"isRequired":true,"value":{"durationMs":86400000},"typeSettings":{"selectableValues":[{"durationMs":3600000},{"durationMs":14400000},{"durationMs":86400000},{"durationMs":604800000},{"durationMs":2592000000}],"allowCustom":true}},{"version":"KqlParameterItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","id":"b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f02","name":"Router","label":"Router","type":2,"isRequired":true,"query":"LlmGateway_CL\\n| where isnotempty(Router)\\n| distinct Router\\n| order by Router asc","value":"value::all","timeContextFromParameter":"TimeRange","typeSettings":{"additionalResourceOptions":["value::all"],"selectAllValue":"*","showDefault":false}},{"version":"KqlParameterItem/1.0","id":"b0e6a1f1-6f4d-4b0e-9d5a-1d2c3b4a5f03","name":"Wanted","label":"Transaction, session or record","type":1,"value":""}]},"name":"parameters"},{"type":1,"content":{"json":"## Traffic"},"name":"section 0"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Calls by router","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| summarize Calls = count() by bin(TimeGenerated, {TimeRange:grain}), Router","visualization":"timechart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 0.0"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Answers by class of status","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| extend Class = iff(isnull(Status), \'none\', strcat(tostring(Status / 100), \'xx\'))\\n| summarize Calls = count() by bin(TimeGenerated, {TimeRange:grain}), Class","visualization":"timechart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 0.1"},{"type":1,"content":{"json":"## Latency"},"name":"section 1"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Time of a call, in milliseconds","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| summarize Median = percentile(DurationMs, 50), P95 = percentile(DurationMs, 95), P99 = percentile(DurationMs, 99) by bin(TimeGenerated, {TimeRange:grain})","visualization":"timechart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 1.0"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Time of a call by router and model, in milliseconds","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| summarize Calls = count(), Median = percentile(DurationMs, 50), P95 = percentile(DurationMs, 95), Longest = max(DurationMs) by Router, Model\\n| order by P95 desc","visualization":"table","size":0,"showExportToExcel":true,"timeContextFromParameter":"TimeRange"},"name":"query 1.1"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Time that the LLM API took of it, in milliseconds","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| extend LlmMs = tolong(Record.response.outbound_inbound_timer.duration)\\n| where isnotnull(LlmMs)\\n| summarize Median = percentile(LlmMs, 50), P95 = percentile(LlmMs, 95) by bin(TimeGenerated, {TimeRange:grain})","visualization":"timechart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 1.2"},{"type":1,"content":{"json":"## Tokens"},"name":"section 2"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Tokens of prompts and answers","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| summarize Prompts = sum(PromptTokens), Answers = sum(CompletionTokens) by bin(TimeGenerated, {TimeRange:grain})","visualization":"timechart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 2.0"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Tokens by router and model","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| summarize Calls = count(), Prompts = sum(PromptTokens), Answers = sum(CompletionTokens), Total = sum(TotalTokens) by Router, Model\\n| order by Total desc","visualization":"table","size":0,"showExportToExcel":true,"timeContextFromParameter":"TimeRange"},"name":"query 2.1"},{"type":1,"content":{"json":"## Processors"},"name":"section 3"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Calls of processors and those that did not complete","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| extend Asked = array_concat(coalesce(Record.request.processors, dynamic([])), coalesce(Record.request.processors_async, dynamic([])), coalesce(Record.response.processors, dynamic([])), coalesce(Record.response.processors_async, dynamic([])))\\n| mv-expand Processor = Asked to typeof(dynamic)\\n| extend Name = tostring(Processor.name), Completed = tobool(Processor.details.completed), Ms = tolong(Processor.details.timestamp.duration)\\n| summarize Calls = count(), Incomplete = countif(not(Completed)), Median = percentile(Ms, 50), P95 = percentile(Ms, 95) by Name\\n| order by Incomplete desc, Name asc","visualization":"table","size":0,"showExportToExcel":true,"timeContextFromParameter":"TimeRange"},"name":"query 3.0"},{"type":1,"content":{"json":"## Errors"},"name":"section 4"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"Errors by type","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| where isnotempty(ErrorType)\\n| summarize Calls = count() by ErrorType\\n| order by Calls desc","visualization":"barchart","size":0,"showExportToExcel":false,"timeContextFromParameter":"TimeRange"},"name":"query 4.0"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"The latest calls that failed","query":"LlmGateway_CL\\n| where \'{Router}\' == \'*\' or Router == \'{Router}\'\\n| where isnotempty(ErrorType) or Status >= 400\\n| top 100 by TimeGenerated desc\\n| extend Errors = tostring(array_concat(coalesce(Record.request.error, dynamic([])), coalesce(Record.response.error, dynamic([]))))\\n| project TimeGenerated, Router, Status, ErrorType, Errors, TransactionId","visualization":"table","size":0,"showExportToExcel":true,"timeContextFromParameter":"TimeRange"},"name":"query 4.1"},{"type":1,"content":{"json":"## Find a transaction"},"name":"section 5"},{"type":3,"content":{"version":"KqlItem/1.0","queryType":0,"resourceType":"microsoft.operationalinsights/workspaces","title":"By the id of a transaction, of a session or of a record","query":"LlmGateway_CL\\n| where isnotempty(\'{Wanted}\')\\n| where TransactionId == \'{Wanted}\' or SessionId == \'{Wanted}\' or RecordId == \'{Wanted}\'\\n| top 100 by TimeGenerated desc\\n| project TimeGenerated, TransactionId, SessionId, RecordId, Router, Status, ErrorType, DurationMs, Model, TotalTokens, Record","visualization":"table","size":0,"showExportToExcel":true,"timeContextFromParameter":"TimeRange"},"name":"query 5.0"}],"isLocked":false,"$schema":"https://github.com/Microsoft/Application-Insights-Workbooks/blob/master/schema/workbook.json"}'
  }
}

resource gateway 'Microsoft.ContainerInstance/containerGroups@2023-05-01' = {
  name: containerGroupName
  location: location
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identity.id}': {}
    }
  }
  properties: {
    osType: 'Linux'
    sku: 'Standard'
    restartPolicy: 'Always'
    imageRegistryCredentials: empty(registryServer) ? [] : [
      {
        server: registryServer
        username: registryUsername
        password: registryPassword
      }
    ]
    ipAddress: {
      type: 'Public'
      dnsNameLabel: dnsNameLabel
      autoGeneratedDomainNameLabelScope: 'TenantReuse'
      ports: ports
    }
    volumes: [
      {
        name: 'conf'
        azureFile: {
          shareName: 'conf'
          readOnly: false
          storageAccountName: storageAccountName
          storageAccountKey: storage.listKeys().keys[0].value
        }
      }
      {
        name: 'log'
        azureFile: {
          shareName: 'log'
          readOnly: false
          storageAccountName: storageAccountName
          storageAccountKey: storage.listKeys().keys[0].value
        }
      }
      {
        name: 'state'
        emptyDir: {}
      }
    ]
    containers: [
      {
        name: 'gateway'
        properties: {
          image: image
          command: [
            '/usr/bin/node'
            '/app/gateway/ginit/src/main.ts'
            'container'
            '--with'
            'azure'
          ]
          environmentVariables: concat([
            {
              name: 'AISERVICE_API_BASE'
              value: aiServiceApiBase
            }
            {
              name: 'NATS_TOKEN'
              secureValue: natsToken
            }
            {
              name: 'AZURE_LOGS_URL'
              value: endpoint.properties.logsIngestion.endpoint
            }
            {
              name: 'AZURE_LOGS_RULE_ID'
              value: rule.properties.immutableId
            }
            {
              name: 'AZURE_LOGS_STREAM'
              value: 'Custom-LlmGateway_CL'
            }
            {
              name: 'AZURE_CLIENT_ID'
              value: identity.properties.clientId
            }
          ], empty(aiServiceApiKey) ? [] : [
            {
              name: 'AISERVICE_API_KEY'
              secureValue: aiServiceApiKey
            }
          ], empty(gatewayApiKey) ? [] : [
            {
              name: 'GATEWAY_API_KEY'
              secureValue: gatewayApiKey
            }
          ], empty(guiSecret) ? [] : [
            {
              name: 'GUI_SECRET'
              secureValue: guiSecret
            }
          ])
          ports: ports
          resources: {
            requests: {
              cpu: cpu
              memoryInGB: memoryInGb
            }
          }
          volumeMounts: [
            {
              name: 'conf'
              mountPath: '/app/conf'
              readOnly: false
            }
            {
              name: 'log'
              mountPath: '/app/log'
              readOnly: false
            }
            {
              name: 'state'
              mountPath: '/app/state'
              readOnly: false
            }
          ]
          readinessProbe: {
            exec: {
              command: [
                '/usr/bin/node'
                '/app/gateway/ginit/src/main.ts'
                'health'
                '--ready'
              ]
            }
            periodSeconds: 10
            timeoutSeconds: 10
          }
          livenessProbe: {
            exec: {
              command: [
                '/usr/bin/node'
                '/app/gateway/ginit/src/main.ts'
                'health'
              ]
            }
            initialDelaySeconds: 60
            periodSeconds: 30
            timeoutSeconds: 10
            failureThreshold: 4
          }
        }
      }
    ]
  }
  dependsOn: [
    confShare
    logShare
    grant
  ]
}

@description('Name of the container group.')
output name string = containerGroupName

@description('Address of the gateway.')
output address string = 'http://${gateway.properties.ipAddress.fqdn}:5380'

@description('Address of the message bus, for processors.')
output busAddress string = 'nats://${gateway.properties.ipAddress.fqdn}:4222'

@description('Address of the web interface; empty where it was not asked for.')
output webInterfaceAddress string = webInterface ? 'http://${gateway.properties.ipAddress.ip}:8080/login' : ''

@description('Id of the workspace, whose workbooks show the records.')
output workspaceId string = workspace.id

@description('Storage account with the shares conf and log.')
output storageAccountName string = storageAccountName
