import { hasTarget, type SinkConfig } from '@llm-gateway/conf'
import type { Logger } from '@llm-gateway/sdk'
import { createAzureIngestionWriter } from './azure/azure-ingestion-writer.ts'
import type { AzureIdentity } from './azure/azure-tokens.ts'
import { createElasticWriter, elasticAuthorization } from './elastic/elastic-writer.ts'
import { createFileWriter } from './file/file-writer.ts'
import { createRestWriter, restUrl } from './http/rest-writer.ts'
import { createOtlpWriter } from './otlp/otlp-writer.ts'
import { outboundTls, type Trust } from './outbound-tls.ts'
import { createPostgresWriter } from './postgres/postgres-writer.ts'
import { filteredWriter } from './record-filter.ts'
import { createS3Writer } from './s3/s3-writer.ts'
import type { Writer } from './writer.ts'

export type WriterChoice =
  | { readonly kind: 'writer'; readonly writer: Writer }
  /** The mode, its section or the section's address is missing. */
  | { readonly kind: 'not configured' }
  /** The target's API no longer exists. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'invalid'; readonly field: string; readonly reason: string }

export type WriterContext = {
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Connection = WriterContext & { readonly tls: Trust }

/** Makes the writer of a checked configuration, with its filter. */
export async function chooseWriter(config: SinkConfig, context: WriterContext): Promise<WriterChoice> {
  const choice = await chosen(config, context)
  return choice.kind === 'writer' ? { ...choice, writer: filteredWriter(choice.writer, config) } : choice
}

async function chosen(config: SinkConfig, context: WriterContext): Promise<WriterChoice> {
  const { mode } = config
  if (mode === undefined || config[mode] === undefined) return { kind: 'not configured' }
  // The section's keys belong to the old API and can't address its successor.
  if (mode === 'azure_log_analytics_writer') return { kind: 'ended' }
  if (!hasTarget(config)) return { kind: 'not configured' }
  if (mode === 'file_writer') return choice(mode, fileWriter(config, context))
  const tls = await outboundTls(config.tls.outbound)
  if (tls === undefined) return { kind: 'invalid', field: 'tls.outbound.cert_files', reason: 'file:' }
  const connection = { ...context, tls }
  switch (mode) {
    case 'rest_api_writer':
      return choice(mode, restWriter(config, connection))
    case 'elastic_writer':
      return choice(mode, elasticWriter(config, connection))
    case 'azure_logs_ingestion_writer':
      return choice(mode, azureWriter(config, connection))
    case 'postgres_writer':
      return choice(mode, postgresWriter(config, connection))
    case 'otlp_writer':
      return choice(mode, otlpWriter(config, connection))
    case 's3_writer':
      return choice(mode, s3Writer(config, connection))
    default:
      return mode satisfies never
  }
}

/** The schema has checked everything else; only the address may still be invalid. */
function choice(mode: string, writer: Writer | undefined): WriterChoice {
  return writer === undefined
    ? { kind: 'invalid', field: `${mode}.url`, reason: 'http_url:' }
    : { kind: 'writer', writer }
}

function fileWriter({ file_writer: file }: SinkConfig, context: WriterContext): Writer | undefined {
  if (file === undefined) return undefined
  const { bytes, seconds, gzip, keep_files: files, keep_days: days } = file.rotate
  const rotation = { bytes, seconds, keep: { gzip, files, days } }
  const { filename, write_mode: writeMode, fsync } = file
  return createFileWriter({ filename, writeMode, fsync, rotation, ...context })
}

function restWriter({ rest_api_writer: rest }: SinkConfig, connection: Connection): Writer | undefined {
  const url = rest && restUrl(rest)
  return url && createRestWriter({ ...connection, url, headers: rest.headers, format: rest.batch_format })
}

function elasticWriter({ elastic_writer: elastic }: SinkConfig, connection: Connection): Writer | undefined {
  const url = elastic && restUrl({ ...elastic, endpoint: '' })
  if (elastic === undefined || url === undefined) return undefined
  const { index, bulk, document_ids: documentIds } = elastic
  const authorization = elasticAuthorization(elastic)
  return createElasticWriter({ ...connection, url, index, bulk, documentIds, authorization })
}

function azureWriter({ azure_logs_ingestion_writer: azure }: SinkConfig, connection: Connection): Writer | undefined {
  const url = azure && restUrl({ url: azure.url, endpoint: '' })
  const identity = azure && azureIdentity(azure)
  if (url === undefined || identity === undefined || azure === undefined) return undefined
  return createAzureIngestionWriter({ ...connection, url, ruleId: azure.rule_id, stream: azure.stream, identity })
}

type AzureSection = NonNullable<SinkConfig['azure_logs_ingestion_writer']>

function azureIdentity({ identity, ...azure }: AzureSection): AzureIdentity | undefined {
  const { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret } = azure
  const place = restUrl({ url: identity === 'managed' ? azure.identity_url : azure.authority, endpoint: '' })
  if (place === undefined) return undefined
  if (identity === 'managed') return { kind: 'managed', place, clientId }
  return { kind: 'application', authority: place, tenantId, clientId, clientSecret }
}

function postgresWriter({ postgres_writer: postgres }: SinkConfig, connection: Connection): Writer | undefined {
  if (postgres === undefined) return undefined
  return createPostgresWriter({ ...postgres, tls: postgres.tls ? connection.tls : undefined })
}

function otlpWriter({ otlp_writer: otlp }: SinkConfig, connection: Connection): Writer | undefined {
  const url = otlp && restUrl({ url: otlp.url, endpoint: '' })
  return url && createOtlpWriter({ ...connection, url, headers: otlp.headers, serviceName: otlp.service_name })
}

function s3Writer({ s3_writer: s3 }: SinkConfig, connection: Connection): Writer | undefined {
  const url = s3 && restUrl({ url: s3.url, endpoint: '' })
  if (url === undefined || s3 === undefined) return undefined
  const { bucket, prefix, region, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = s3
  const key = { accessKeyId, secretAccessKey, sessionToken: s3.session_token }
  return createS3Writer({ ...connection, url, bucket, prefix, region, key })
}
