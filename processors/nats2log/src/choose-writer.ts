import type { SinkConfig } from '@llm-gateway/conf'
import type { Logger } from '@llm-gateway/sdk'
import { createAzureWriter } from './azure-writer.ts'
import { elasticAuthorization } from './elastic-authorization.ts'
import { createElasticWriter } from './elastic-writer.ts'
import { createFileWriter } from './file-writer.ts'
import { outboundTls, type Trust } from './outbound-tls.ts'
import { restUrl } from './rest-url.ts'
import { createRestWriter } from './rest-writer.ts'
import type { Writer } from './writer.ts'

export type Choice =
  | { readonly kind: 'writer'; readonly writer: Writer }
  /** The mode or its section is missing. */
  | { readonly kind: 'not configured' }
  | { readonly kind: 'invalid'; readonly field: string; readonly reason: string }

export type Surroundings = {
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Connection = Surroundings & { readonly tls: Trust }

/** The writer a checked configuration asks for. */
export async function chooseWriter(config: SinkConfig, surroundings: Surroundings): Promise<Choice> {
  const { mode } = config
  if (mode === undefined || config[mode] === undefined) return { kind: 'not configured' }
  if (mode === 'file_writer') return choice(mode, fileWriter(config))
  const tls = await outboundTls(config.tls.outbound)
  if (tls === undefined) return { kind: 'invalid', field: 'tls.outbound.cert_files', reason: 'file:' }
  const connection = { ...surroundings, tls }
  switch (mode) {
    case 'rest_api_writer':
      return choice(mode, restWriter(config, connection))
    case 'elastic_writer':
      return choice(mode, elasticWriter(config, connection))
    case 'azure_log_analytics_writer':
      return choice(mode, azureWriter(config, connection))
    default:
      return mode satisfies never
  }
}

/** The schema has seen everything else: what a writer can still lack is an address. */
function choice(mode: string, writer: Writer | undefined): Choice {
  return writer === undefined
    ? { kind: 'invalid', field: `${mode}.url`, reason: 'http_url:' }
    : { kind: 'writer', writer }
}

function fileWriter({ file_writer: file }: SinkConfig): Writer | undefined {
  return file && createFileWriter({ filename: file.filename, writeMode: file.write_mode, fsync: file.fsync })
}

function restWriter({ rest_api_writer: rest }: SinkConfig, connection: Connection): Writer | undefined {
  const url = rest && restUrl(rest)
  return url && createRestWriter({ ...connection, url, headers: rest.headers })
}

function elasticWriter({ elastic_writer: elastic }: SinkConfig, connection: Connection): Writer | undefined {
  const url = elastic && restUrl({ ...elastic, endpoint: '' })
  if (elastic === undefined || url === undefined) return undefined
  const { index, bulk, document_ids: documentIds } = elastic
  const authorization = elasticAuthorization(elastic)
  return createElasticWriter({ ...connection, url, index, bulk, documentIds, authorization })
}

function azureWriter({ azure_log_analytics_writer: azure }: SinkConfig, connection: Connection): Writer | undefined {
  if (azure === undefined) return undefined
  const { workspace_id: workspaceId, shared_key: sharedKey, log_type: logType, time_generated_field: timeField } = azure
  const url = restUrl({ url: azure.url || `https://${workspaceId}.ods.opinsights.azure.com`, endpoint: '' })
  return url && createAzureWriter({ ...connection, url, workspaceId, sharedKey, logType, timeField })
}
