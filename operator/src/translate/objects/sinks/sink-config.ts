import type { LlmGateway } from '@llm-gateway/crds'
import { gatewaySettings } from '../../gateway/gateway-settings.ts'
import { ADMIN_PORT } from '../../names.ts'
import { defined } from '../pod-placement.ts'
import { outboundTls } from '../tls.ts'
import { fileText } from './file-text.ts'
import type { Sink } from './sink-kinds.ts'

export const SINK_STORE = '/data'

/** nats2file_config.json or nats2log_config.json of a sink (wire, 1.2); `${NAME}` is resolved by the sink itself. */
export function sinkConfig(sink: Sink, gateway: LlmGateway): string {
  const { retries, retryDelayMilliseconds } = sink
  const { service_bus } = gatewaySettings(gateway)
  const config = {
    ...defined({ retries, retry_delay_milliseconds: retryDelayMilliseconds }),
    admin_host: '0.0.0.0',
    admin_port: ADMIN_PORT,
    tls: outboundTls(gateway),
    service_bus,
    ...writer(sink),
  }
  return JSON.stringify(config, undefined, 2)
}

function writer(sink: Sink): object {
  switch (sink.kind) {
    case 'file': {
      const { filename, writeMode } = sink
      return section('file_writer', { filename: `${SINK_STORE}/${filename}`, write_mode: writeMode })
    }
    case 'elastic': {
      const { url, port, index, username, password, apiKey, documentIds, bulk } = sink
      const settings = { port, index, password, api_key: apiKey, document_ids: documentIds, bulk }
      return section('elastic_writer', { url: fileText(url), ...settings, username: username && fileText(username) })
    }
    case 'rest': {
      const { url, port, endpoint, headers = {} } = sink
      const texts = Object.entries(headers).map(([name, values]) => [name, values.map(fileText)])
      const settings = { url: fileText(url), port, endpoint: endpoint && fileText(endpoint) }
      return section('rest_api_writer', { ...settings, headers: Object.fromEntries(texts) })
    }
    case 'azure': {
      const { workspaceId, sharedKey, logType, timeGeneratedField, url } = sink
      const settings = { workspace_id: workspaceId, shared_key: sharedKey, log_type: logType }
      return section('azure_log_analytics_writer', { ...settings, time_generated_field: timeGeneratedField, url })
    }
    default:
      return sink satisfies never
  }
}

function section(mode: string, settings: Readonly<Record<string, unknown>>): object {
  return { mode, [mode]: defined(settings) }
}
