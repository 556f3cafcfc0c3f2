import type { Overview } from '@llm-gateway/gui-api'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/notice.tsx'

type Tile = {
  readonly name: string
  readonly state: string
  readonly tone: Tone | undefined
  readonly lines: readonly string[]
  /** A link to the details. */
  readonly more?: ReactNode
}

/** Shows the state of gateway, bus, records and sinks. Empty tiles keep the layout while the data loads. */
export function HealthTiles({ overview }: { readonly overview: Overview | undefined }) {
  const names = texts.overview.tiles
  const waiting = (name: string): Tile => ({ name, state: texts.unknown, tone: undefined, lines: [] })
  const tiles =
    overview === undefined
      ? Object.values(names).map(waiting)
      : [gatewayTile(overview), busTile(overview), recordsTile(overview), sinksTile(overview)]
  return (
    <div className="tiles">
      {tiles.map(({ name, state, tone, lines, more }) => (
        <section key={name} className="card tile">
          <div className="row between">
            <h2>{name}</h2>
            <Badge tone={tone}>{state}</Badge>
          </div>
          {lines.map((line) => (
            <p key={line} className="soft number">
              {line}
            </p>
          ))}
          {more}
        </section>
      ))}
    </div>
  )
}

function gatewayTile({ gateway }: Overview): Tile {
  const name = texts.overview.tiles.gateway
  if (!gateway.reachable) return { name, state: texts.overview.notReachable, tone: 'bad', lines: [gateway.message] }
  const { routers, inflight_requests: inflight, reload, digest } = gateway
  const failed = reload.result === 'failed'
  const lines = [
    texts.overview.routers(routers.active, routers.rejected),
    ...(inflight === null ? [] : [texts.overview.inflight(inflight)]),
    failed ? texts.overview.reloadFailed(reload.reason) : texts.overview.runs(texts.digest(digest)),
  ]
  const tone = failed ? 'bad' : routers.rejected > 0 ? 'warn' : 'good'
  const more = routers.rejected > 0 ? <Link to="/routers">{texts.overview.seeRejected}</Link> : undefined
  return { name, state: failed ? texts.overview.oldFile : texts.overview.running, tone, lines, more }
}

function busTile({ bus, gateway }: Overview): Tile {
  const name = texts.overview.tiles.bus
  const connected = bus.connected && !(gateway.reachable && gateway.bus === 'disconnected')
  const kept = bus.stream === null ? texts.overview.nothingKept : texts.overview.kept(storedCount(bus.stream))
  const state = connected ? texts.overview.connected : texts.overview.away
  return { name, state, tone: connected ? 'good' : 'bad', lines: [connected ? kept : texts.overview.busAway] }
}

function storedCount({ first, last }: { readonly first: number; readonly last: number }): number {
  return last === 0 ? 0 : last - first + 1
}

function recordsTile({ gateway }: Overview): Tile {
  const name = texts.overview.tiles.records
  const records = gateway.reachable ? gateway.records : null
  if (records === null) return { name, state: texts.unknown, tone: undefined, lines: [texts.overview.noRecords] }
  const lost = Object.values(records.lost).reduce((sum, count) => sum + count, 0)
  const waiting = records.queued_bytes + records.spooled_bytes
  return {
    name,
    state: lost > 0 ? texts.overview.lost(lost) : texts.overview.noneLost,
    tone: lost > 0 ? 'bad' : records.spooled_bytes > 0 ? 'warn' : 'good',
    lines: [
      texts.overview.acknowledged(records.acknowledged),
      waiting === 0 ? texts.overview.nothingWaits : texts.overview.waits(texts.bytes(waiting)),
    ],
  }
}

function sinksTile({ sinks }: Overview): Tile {
  const name = texts.overview.tiles.sinks
  if (sinks.length === 0) return { name, state: texts.overview.none, tone: undefined, lines: [texts.overview.noSinks] }
  const refused = sinks.reduce((sum, sink) => sum + (sink.refused ?? 0) + (sink.overtaken ?? 0), 0)
  const behind = sinks.reduce((sum, sink) => sum + (sink.behind_records ?? 0), 0)
  const isBacklogKnown = sinks.some((sink) => sink.behind_records !== null)
  const calm = isBacklogKnown ? texts.overview.upToDate : texts.overview.notTold
  return {
    name,
    state: refused > 0 ? texts.overview.lost(refused) : behind > 0 ? texts.overview.behind(behind) : calm,
    tone: refused > 0 ? 'bad' : behind > 1_000 ? 'warn' : isBacklogKnown ? 'good' : undefined,
    lines: sinks.map((sink) => `${sink.name} → ${sink.target ?? sink.mode ?? texts.overview.noTarget}`),
  }
}
