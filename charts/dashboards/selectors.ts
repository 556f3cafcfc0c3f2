/** The part of each query that the dashboards' variables set. `$name` is replaced by the variable's values. */
export const GATEWAY = 'namespace=~"$namespace",gateway=~"$gateway"'
export const ROUTER = `${GATEWAY},router=~"$router"`
export const OPERATOR = 'namespace=~"$operator"'

/** Grafana's variable for the time between two points, at least four scrapes. */
const INTERVAL = '$__rate_interval'

/** Returns the growth of a counter per second, summed by labels. */
export function rateBy(labels: string, series: string): string {
  return `sum by (${labels}) (rate(${series}[${INTERVAL}]))`
}

/** Returns the growth of a counter per second, summed over all labels. */
export function rate(series: string): string {
  return `sum(rate(${series}[${INTERVAL}]))`
}

export type QuantileOf = {
  /** A share of 1: 0.99. */
  readonly quantile: number
  /** The name of the histogram, without `_bucket`. */
  readonly histogram: string
  /** The selector without braces. */
  readonly selector: string
  /** Labels that distinguish the lines. */
  readonly by?: string
}

export function quantile({ quantile, histogram, selector, by }: QuantileOf): string {
  const labels = by === undefined ? 'le' : `le, ${by}`
  return `histogram_quantile(${quantile}, ${rateBy(labels, `${histogram}_bucket{${selector}}`)})`
}

/** Returns the 50th, 95th and 99th percentile for calls of the chosen routers. */
export function quantiles(histogram: string): readonly { readonly expr: string; readonly legend: string }[] {
  return [0.5, 0.95, 0.99].map((share) => ({
    expr: quantile({ quantile: share, histogram, selector: ROUTER }),
    legend: `${share * 100} of 100`,
  }))
}
