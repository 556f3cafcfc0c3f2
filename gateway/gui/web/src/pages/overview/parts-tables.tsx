import type { Overview, ProcessorState, ServiceState } from '@llm-gateway/gui-api'
import { Link } from '@tanstack/react-router'
import { fileNames } from '../../api/file-names.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/notice.tsx'

/** Lists services, processors and sinks, one line each. */
export function PartsTables({ overview }: { readonly overview: Overview }) {
  return (
    <div className="columns">
      <Processors processors={overview.processors} />
      <Services services={overview.services} />
      <Sinks sinks={overview.sinks} edition={overview.edition} />
    </div>
  )
}

const names = texts.overview.columns

function Processors({ processors }: { readonly processors: readonly ProcessorState[] }) {
  return (
    <section className="card stack tight">
      <h2>{texts.overview.processors}</h2>
      {processors.length === 0 ? <p className="soft">{texts.overview.noProcessors}</p> : null}
      {processors.length === 0 ? null : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{names.name}</th>
              <th scope="col">{names.phase}</th>
              <th scope="col" className="end">
                {names.calls}
              </th>
              <th scope="col" className="end">
                {names.failures}
              </th>
              <th scope="col" className="end">
                {names.mean}
              </th>
            </tr>
          </thead>
          <tbody>
            {processors.map((one) => (
              <ProcessorLine key={`${one.phase} ${one.row} ${one.name} ${one.async}`} processor={one} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function ProcessorLine({ processor }: { readonly processor: ProcessorState }) {
  const { name, phase, calls, failures, mean_ms: mean } = processor
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
  const why = Object.entries(failures).map(([outcome, count]) => `${outcome}: ${count}`)
  return (
    <tr>
      <td>{name}</td>
      <td className="soft">{texts.processors.phases[phase]}</td>
      <td className="end number">{calls === null ? '–' : texts.count(calls)}</td>
      <td className="end number">{failed === 0 ? '0' : <Badge tone="bad">{why.join(', ')}</Badge>}</td>
      <td className="end number">{mean === null ? '–' : texts.milliseconds(mean)}</td>
    </tr>
  )
}

const SERVICE_TONES: Readonly<Record<ServiceState['state'], Tone | undefined>> = {
  healthy: 'good',
  starting: 'warn',
  ended: 'bad',
  unknown: undefined,
}

function Services({ services }: { readonly services: readonly ServiceState[] }) {
  return (
    <section className="card stack tight">
      <h2>{texts.overview.services}</h2>
      {services.length === 0 ? <p className="soft">{texts.overview.noServices}</p> : null}
      <ul className="plain">
        {services.map(({ name, kind, state, starts }) => (
          <li key={name} className="row between">
            <span>
              {name} <span className="soft">{texts.overview.kinds[kind]}</span>
            </span>
            <span className="row">
              {starts !== null && starts > 1 ? <span className="soft">{texts.overview.starts(starts)}</span> : null}
              <Badge tone={SERVICE_TONES[state]}>{texts.overview.states[state]}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Sinks({ sinks, edition }: Pick<Overview, 'sinks' | 'edition'>) {
  if (sinks.length === 0) return null
  const shown = (count: number | null): string => (count === null ? '–' : texts.count(count))
  return (
    <section className="card stack tight">
      <h2>{texts.overview.tiles.sinks}</h2>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{names.name}</th>
            <th scope="col" className="end">
              {names.delivered}
            </th>
            <th scope="col" className="end">
              {names.behind}
            </th>
            <th scope="col" className="end">
              {names.refused}
            </th>
            <th scope="col" className="end">
              {names.overtaken}
            </th>
          </tr>
        </thead>
        <tbody>
          {sinks.map((sink) => (
            <tr key={sink.name}>
              <td>{edition === 'standalone' ? <SinkLink name={sink.name} /> : sink.name}</td>
              <td className="end number">{shown(sink.delivered)}</td>
              <td className="end number">{shown(sink.behind_records)}</td>
              <td className="end number">{shown(sink.refused)}</td>
              <td className="end number">{shown(sink.overtaken)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {edition === 'standalone' && sinks.some(({ delivered }) => delivered === null) ? (
        <p className="soft">{texts.overview.silentSinks}</p>
      ) : null}
    </section>
  )
}

/** Links to the file that sets a sink's target. */
function SinkLink({ name }: { readonly name: string }) {
  const file = fileNames.find((one) => one === `${name}_config.json`)
  if (file === undefined) return name
  return (
    <Link to="/settings" search={{ file }}>
      {name}
    </Link>
  )
}
