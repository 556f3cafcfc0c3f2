import { stat } from './panels.ts'
import { ROUTER, rate } from './selectors.ts'

/** Calls of the chosen routers. */
export const requestsTotal = `llm_gateway_requests_total{${ROUTER}}`
/** Calls that failed through no fault of the caller. */
export const failedRequestsTotal = `llm_gateway_requests_total{${ROUTER},error_type!="",error_type!~"caller_.*"}`

export function callsNow(): ReturnType<typeof stat> {
  return stat({
    title: 'Calls',
    description: 'Calls that ended, each second.',
    unit: 'reqps',
    queries: [{ expr: rate(requestsTotal), legend: 'calls' }],
  })
}

/** Makes the panel of failed calls; a share of `badFrom` (0 to 1) or more is shown as bad. */
export function failedNow(badFrom: number): ReturnType<typeof stat> {
  return stat({
    title: 'Failed calls',
    description: 'The share of calls that failed through no fault of the caller.',
    unit: 'percentunit',
    badFrom,
    queries: [{ expr: `(${rate(failedRequestsTotal)} or vector(0)) / ${rate(requestsTotal)}`, legend: 'failed' }],
  })
}
