import type { BusSettings } from '@llm-gateway/sdk'
import type { OutboundTls } from './outbound-tls.ts'
import type { WriteMode } from './record-file.ts'

/** What the sinks read of `nats2log_config.json` and `nats2file_config.json` (wire, 1.2); a checked file has more. */
export type SinkConfig = {
  readonly mode?: 'file_writer' | 'rest_api_writer' | 'elastic_writer' | 'azure_log_analytics_writer' | undefined
  /** Tries after the first. */
  readonly retries: number
  readonly retry_delay_milliseconds: number
  readonly tls: { readonly outbound: OutboundTls }
  readonly service_bus: BusSettings & { readonly topic_exact_logger: string }
  readonly file_writer?: { readonly filename: string; readonly write_mode: WriteMode } | undefined
  readonly rest_api_writer?: RestApiWriter | undefined
}

export type RestApiWriter = {
  readonly url: string
  readonly port?: number | undefined
  readonly endpoint: string
  readonly headers: Readonly<Record<string, readonly string[] | string>>
}
