import type { Parameter } from '../model/template.ts'
import { call, text } from '../model/value.ts'

/** A suffix that differs between resource groups and is constant within one. */
const UNIQUE = call('uniqueString', [call('resourceGroup', [], ['id'])])
const [SMALLEST_GIB, LARGEST_GIB] = [2, 64]
const LARGEST_CPU = 16

/** Returns the parameters of every deployment of the container group; `version` is the image's. */
export function containerParameters(version: string): Readonly<Record<string, Parameter>> {
  return {
    aiServiceApiBase: {
      type: 'string',
      description: 'Base URL of the LLM API behind the default routers, for example https://your-llm-api.example.',
      minLength: 8,
    },
    natsToken: {
      type: 'string',
      description: 'Secret of the message bus. Whoever has it can read all traffic and answer calls.',
      secure: true,
      minLength: 16,
    },
    aiServiceApiKey: {
      type: 'string',
      description: 'The real key of the LLM API, for the router /restricted/. That router is off while this is empty.',
      secure: true,
      default: '',
    },
    gatewayApiKey: {
      type: 'string',
      description: 'The key that the router /restricted/ asks of callers. That router is off while this is empty.',
      secure: true,
      default: '',
    },
    webInterface: {
      type: 'bool',
      description: 'Whether the web interface is reachable, on port 8080. It needs guiSecret.',
      default: false,
    },
    guiSecret: {
      type: 'string',
      description: 'Password of the web interface. While it is empty nobody can log in.',
      secure: true,
      default: '',
    },
    location: {
      type: 'string',
      description: 'Region of everything that is made.',
      default: call('resourceGroup', [], ['location']),
    },
    containerGroupName: {
      type: 'string',
      description: 'Name of the container group.',
      default: 'llm-gateway',
      minLength: 1,
      maxLength: 63,
    },
    dnsNameLabel: {
      type: 'string',
      description: 'First part of the public host name. Azure puts a part of its own behind it.',
      default: text('llm-gateway-', UNIQUE),
      minLength: 5,
      maxLength: 63,
    },
    image: {
      type: 'string',
      description: 'Image of the gateway, with its registry, for example registry.example/llm-gateway:1.0.0.',
      default: `llm-gateway:${version}`,
    },
    registryServer: {
      type: 'string',
      description: 'Host name of a registry that asks for a login; empty: none is needed.',
      default: '',
    },
    registryUsername: { type: 'string', description: 'User of that registry.', default: '' },
    registryPassword: { type: 'string', description: 'Password of that user.', secure: true, default: '' },
    cpu: { type: 'int', description: 'CPU cores.', default: 2, minValue: 1, maxValue: LARGEST_CPU },
    memoryInGb: {
      type: 'int',
      description: 'Memory in GB.',
      default: 4,
      minValue: SMALLEST_GIB,
      maxValue: LARGEST_GIB,
    },
    storageAccountName: {
      type: 'string',
      description: 'Name of the storage account with the shares conf and log.',
      default: text('llmgw', UNIQUE),
      minLength: 3,
      maxLength: 24,
    },
    dataCollectionEndpointName: {
      type: 'string',
      description: 'Name of the endpoint that takes records.',
      default: 'llm-gateway-records',
    },
    dataCollectionRuleName: {
      type: 'string',
      description: 'Name of the rule that puts records into their table.',
      default: 'llm-gateway-records',
    },
    identityName: {
      type: 'string',
      description: 'Name of the identity by which the container writes records.',
      default: 'llm-gateway',
    },
  }
}
