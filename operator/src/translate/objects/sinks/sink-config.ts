import type { LlmGateway } from '@llm-gateway/crds'
import { ADMIN_PORT } from '../../../model/names.ts'
import { gatewaySettings } from '../../gateway/gateway-settings.ts'
import { withoutUndefined } from '../pod-template.ts'
import { bytesOf } from '../quantity.ts'
import { outboundTls } from '../tls.ts'
import { fileText } from './file-text.ts'
import type { Sink } from './sink-kinds.ts'

export const SINK_STORE = '/data'

/** Writes the settings file of a sink (docs/reference/nats2file-config.md). The sink itself replaces `${NAME}`. */
export function sinkConfig(sink: Sink, gateway: LlmGateway): string {
  const { retries, retryDelayMilliseconds, start, payloads } = sink
  const { service_bus } = gatewaySettings(gateway)
  const config = {
    ...withoutUndefined({ retries, retry_delay_milliseconds: retryDelayMilliseconds, start, batch: batchOf(sink) }),
    ...withoutUndefined({ payloads: payloads === false ? 'off' : undefined, filter: filterOf(sink) }),
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
      const { filename, writeMode, fsync } = sink
      const settings = { filename: `${SINK_STORE}/${filename}`, write_mode: writeMode, rotate: rotateOf(sink), fsync }
      return section('file_writer', settings)
    }
    case 'elastic': {
      const { url, port, index, username, password, apiKey, documentIds, bulk } = sink
      const settings = { port, index, password, api_key: apiKey, document_ids: documentIds, bulk }
      return section('elastic_writer', { url: fileText(url), ...settings, username: username && fileText(username) })
    }
    case 'rest': {
      const { url, port, endpoint, headers = {}, batchFormat } = sink
      const texts = Object.entries(headers).map(([name, values]) => [name, values.map(fileText)])
      const settings = { url: fileText(url), port, endpoint: endpoint && fileText(endpoint) }
      const batch_format = batchFormat?.toLowerCase()
      return section('rest_api_writer', { ...settings, batch_format, headers: Object.fromEntries(texts) })
    }
    case 'azure': {
      const { workspaceId, sharedKey, logType, timeGeneratedField, url } = sink
      const settings = {
        workspace_id: workspaceId,
        shared_key: sharedKey,
        log_type: logType,
        url: url && fileText(url),
      }
      return section('azure_log_analytics_writer', { ...settings, time_generated_field: timeGeneratedField })
    }
    case 'azurelogs': {
      const { url, ruleId, stream, tenantId, clientId, clientSecret, authority } = sink
      const place = { url: fileText(url), rule_id: ruleId, stream, authority: authority && fileText(authority) }
      const keys = { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret }
      return section('azure_logs_ingestion_writer', { ...place, ...keys })
    }
    case 'otlp': {
      const { url, headers, serviceName } = sink
      const texts = headers && mapped(headers, fileText)
      return section('otlp_writer', {
        url: fileText(url),
        headers: texts,
        service_name: serviceName && fileText(serviceName),
      })
    }
    case 's3': {
      const { url, bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = sink
      const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken }
      return section('s3_writer', { url: fileText(url), bucket, prefix, region, ...keys })
    }
    case 'postgres': {
      const { host, port, database, user, password, table, tls } = sink
      return section('postgres_writer', { host, port, database, user, password, table, tls })
    }
    default:
      return sink satisfies never
  }
}

function batchOf({ batch }: Sink): object | undefined {
  return batch && withoutUndefined({ records: batch.records, bytes: batch.bytes, ms: batch.milliseconds })
}

function filterOf({ request, response }: Sink): object | undefined {
  if (request === undefined && response === undefined) return undefined
  return withoutUndefined({ request: request && fieldsOf(request), response: response && fieldsOf(response) })
}

function fieldsOf({ fieldsInclude, fieldsExclude }: NonNullable<Sink['request']>): object {
  return withoutUndefined({ fields_include: fieldsInclude, fields_exclude: fieldsExclude })
}

function rotateOf({ rotate }: Extract<Sink, { kind: 'file' }>): object | undefined {
  if (rotate === undefined) return undefined
  const { size, seconds, gzip, keepFiles, keepDays } = rotate
  const bytes = size === undefined ? undefined : bytesOf(size)
  return withoutUndefined({ bytes, seconds, gzip, keep_files: keepFiles, keep_days: keepDays })
}

function mapped(texts: Readonly<Record<string, string>>, change: (text: string) => string): object {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))
}

function section(mode: string, settings: Readonly<Record<string, unknown>>): object {
  return { mode, [mode]: withoutUndefined(settings) }
}
