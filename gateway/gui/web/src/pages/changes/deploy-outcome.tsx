import type { DeployResult } from '@llm-gateway/gui-api'
import { Link } from '@tanstack/react-router'
import { texts } from '../../texts.ts'
import { Notice, type Tone } from '../../ui/notice.tsx'

const TONES: Readonly<Record<DeployResult['result'], Tone>> = {
  live: 'good',
  rejected: 'warn',
  refused: 'bad',
  unknown: 'warn',
  by_hand: 'accent',
}

export type DeployOutcomeProps = {
  readonly outcome: DeployResult
  /** A router that the deploy brought. */
  readonly router: string | undefined
}

/** Shows the outcome of a deploy. */
export function DeployOutcome({ outcome, router }: DeployOutcomeProps) {
  const { result, digest, message, rejected_fields: fields, took_ms: took, file } = outcome
  const leftOut = Object.keys(fields).length
  return (
    <Notice tone={TONES[result]} title={texts.deployed[result]} live>
      <div className="stack tight">
        {result === 'live' ? null : <p>{message}</p>}
        <p className="number">{texts.deployed.digest(texts.digest(digest), texts.milliseconds(took))}</p>
        {result === 'live' && leftOut > 0 ? (
          <p>
            {texts.deployed.leftOut} <Link to="/routers">{texts.deployed.seeRouters}</Link>
          </p>
        ) : null}
        {result === 'live'
          ? null
          : Object.entries(fields).map(([path, reason]) => (
              <p key={path}>
                <span className="mono">{path}</span> {reason}
              </p>
            ))}
        {file === 'gl_config.json' && (result === 'live' || result === 'rejected') ? (
          <p>
            <Link to="/try" search={router === undefined ? {} : { router }}>
              {texts.deployed.next}
            </Link>
          </p>
        ) : null}
      </div>
    </Notice>
  )
}
