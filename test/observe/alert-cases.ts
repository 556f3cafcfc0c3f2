/** What Prometheus sees while something breaks and is mended; a point every 30 s. */
export type AlertCase = {
  readonly alert: string
  /** The test's name, after the alert's. */
  readonly title: string
  /** Series → promtool's notation: `0+5x20` begins at 0 and grows by 5 twenty times. */
  readonly series: Readonly<Record<string, string>>
  /** A moment before the alert, one of it, and one after; the alert is the only one of its name then. */
  readonly quietAt: string
  readonly firesAt: string
  readonly resolvedAt: string
  /** Of the alert, beside `severity`. */
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
}

const GATEWAY = 'namespace="llm",gateway="main"'
const MAIN = { namespace: 'llm', gateway: 'main' }

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'LLMGatewayFailsCalls',
    title: 'fires while 5 % of the calls end with 503, and no caller’s fault counts',
    series: {
      [`llm_gateway_requests_total{${GATEWAY},router="/a/",status="200",error_type=""}`]: '0+95x120',
      [`llm_gateway_requests_total{${GATEWAY},router="/a/",status="401",error_type="caller_unauthorized"}`]: '0+95x120',
      [`llm_gateway_requests_total{${GATEWAY},router="/a/",status="503",error_type="gateway_overloaded"}`]:
        '0x40 0+10x40 400x40',
    },
    quietAt: '20m',
    firesAt: '35m',
    resolvedAt: '55m',
    labels: MAIN,
    summary: 'Gateway llm/main fails 5% of its calls.',
  },
]
