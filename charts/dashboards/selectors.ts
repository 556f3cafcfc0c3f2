/** The part of each query that the dashboards' variables choose. `$name` stands for the variable's values. */
export const GATEWAY = 'namespace=~"$namespace",gateway=~"$gateway"'
export const ROUTER = `${GATEWAY},router=~"$router"`
export const OPERATOR = 'namespace=~"$operator"'

/** Grafana's variable: the time between two points, or four scrapes where that is longer. */
const INTERVAL = '$__rate_interval'

/** How much a counter grows in a second, summed by these labels. */
export function rateBy(labels: string, series: string): string {
  return `sum by (${labels}) (rate(${series}[${INTERVAL}]))`
}

/** The sum of how much a counter grows in a second. */
export function rate(series: string): string {
  return `sum(rate(${series}[${INTERVAL}]))`
}

export type QuantileOf = {
  /** Of 1: 0.99. */
  readonly quantile: number
  /** Name of the histogram, without `_bucket`. */
  readonly histogram: string
  /** Without braces. */
  readonly selector: string
  /** Labels that tell the lines apart. */
  readonly by?: string
}

export function quantile({ quantile, histogram, selector, by }: QuantileOf): string {
  const labels = by === undefined ? 'le' : `le, ${by}`
  return `histogram_quantile(${quantile}, ${rateBy(labels, `${histogram}_bucket{${selector}}`)})`
}

/** Half, 95 and 99 of 100 calls of the chosen routers take at most this long. */
export function quantiles(histogram: string): readonly { readonly expr: string; readonly legend: string }[] {
  return [0.5, 0.95, 0.99].map((share) => ({
    expr: quantile({ quantile: share, histogram, selector: ROUTER }),
    legend: `${share * 100} of 100`,
  }))
}
