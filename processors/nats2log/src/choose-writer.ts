import type { SinkConfig } from '@llm-gateway/conf'
import { createFileWriter } from './file-writer.ts'
import { outboundTls } from './outbound-tls.ts'
import { restUrl } from './rest-url.ts'
import { createRestWriter } from './rest-writer.ts'
import type { Writer } from './writer.ts'

export type Choice =
  | { readonly kind: 'writer'; readonly writer: Writer }
  /** The mode or its section is missing. */
  | { readonly kind: 'not configured' }
  /** A mode this version has no writer for. */
  | { readonly kind: 'not available' }
  | { readonly kind: 'invalid'; readonly field: string; readonly reason: string }

/** The writer a checked configuration asks for. */
export async function chooseWriter(config: SinkConfig): Promise<Choice> {
  switch (config.mode) {
    case undefined:
      return { kind: 'not configured' }
    case 'file_writer':
      return chooseFileWriter(config)
    case 'rest_api_writer':
      return await chooseRestWriter(config)
    case 'elastic_writer':
    case 'azure_log_analytics_writer':
      return { kind: 'not available' }
    default:
      return config.mode satisfies never
  }
}

function chooseFileWriter({ file_writer: file }: SinkConfig): Choice {
  if (file === undefined) return { kind: 'not configured' }
  return { kind: 'writer', writer: createFileWriter({ filename: file.filename, writeMode: file.write_mode }) }
}

async function chooseRestWriter({ rest_api_writer: rest, tls }: SinkConfig): Promise<Choice> {
  if (rest === undefined) return { kind: 'not configured' }
  const url = restUrl(rest)
  if (url === undefined) return { kind: 'invalid', field: 'rest_api_writer.url', reason: 'http_url:' }
  const trust = await outboundTls(tls.outbound)
  if (trust === undefined) return { kind: 'invalid', field: 'tls.outbound.cert_files', reason: 'file:' }
  return { kind: 'writer', writer: createRestWriter({ url, headers: rest.headers, tls: trust }) }
}
