// Made by `make generate` from deploy/azure; don’t edit it.

metadata description = 'The container of an LLM gateway anew, on the shares and the workspace of an earlier deployment.'

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

@description('First part of the public host name. It has to be free in the region.')
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

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' existing = {
  name: storageAccountName
}

resource endpoint 'Microsoft.Insights/dataCollectionEndpoints@2023-03-11' existing = {
  name: dataCollectionEndpointName
}

resource rule 'Microsoft.Insights/dataCollectionRules@2023-03-11' existing = {
  name: dataCollectionRuleName
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' existing = {
  name: identityName
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
}

@description('Name of the container group.')
output name string = containerGroupName

@description('Address of the gateway.')
output address string = 'http://${gateway.properties.ipAddress.fqdn}:5380'

@description('Address of the message bus, for processors.')
output busAddress string = 'nats://${gateway.properties.ipAddress.fqdn}:4222'

@description('Address of the web interface; empty where it was not asked for.')
output webInterfaceAddress string = webInterface ? 'http://${gateway.properties.ipAddress.fqdn}:8080/login' : ''
