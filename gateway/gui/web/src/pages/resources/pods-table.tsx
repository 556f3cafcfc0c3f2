import type { Configuration, GatewayPod } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/notice.tsx'

const names = texts.gatewayPage
const LAG_TONES: Readonly<Record<GatewayPod['lag'], Tone | undefined>> = {
  none: 'good',
  behind: 'warn',
  unknown: undefined,
}

/** Shows the digest that each pod runs, beside the effective file's. */
export function PodsTable({ configuration: { pods, digest } }: { readonly configuration: Configuration }) {
  return (
    <section className="card stack tight">
      <div className="row between">
        <h2>{names.pods}</h2>
        <span className="soft mono">{digest === null ? null : names.wanted(texts.digest(digest))}</span>
      </div>
      {pods.length === 0 ? <p className="soft">{names.noPods}</p> : null}
      {pods.length === 0 ? null : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{names.columns.pod}</th>
              <th scope="col" className="wide">
                {names.columns.node}
              </th>
              <th scope="col" className="wide">
                {names.columns.ready}
              </th>
              <th scope="col">{names.columns.runs}</th>
              <th scope="col" className="wide">
                {names.columns.values}
              </th>
              <th scope="col" className="wide">
                {names.columns.version}
              </th>
              <th scope="col">{names.columns.lag}</th>
            </tr>
          </thead>
          <tbody>
            {pods.map((pod) => (
              <tr key={pod.name}>
                <td className="mono">{pod.name}</td>
                <td className="wide soft">{pod.node}</td>
                <td className="wide">
                  <Badge tone={pod.ready ? 'good' : 'warn'}>{pod.ready ? names.ready : names.notReady}</Badge>
                </td>
                <td className="mono">{pod.digest === null ? '–' : texts.digest(pod.digest)}</td>
                <td className="wide number">{pod.values_revision ?? '–'}</td>
                <td className="wide number">{pod.version ?? '–'}</td>
                <td>
                  <Badge tone={LAG_TONES[pod.lag]}>{names.lags[pod.lag]}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
