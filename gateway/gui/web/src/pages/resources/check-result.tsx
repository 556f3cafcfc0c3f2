import type { Resource, ResourceCheck } from '@llm-gateway/gui-api'
import { TextDiff } from '../../editor/text-editor.tsx'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Notice, type Tone } from '../../ui/notice.tsx'
import { ConditionsList } from './conditions-list.tsx'
import { CHECK_TONES } from './draft-state.tsx'
import { OtherResources } from './other-resources.tsx'

const VARIABLE_TONES: Readonly<Record<ResourceCheck['variables'][number]['state'], Tone>> = {
  declared: 'good',
  shared: 'good',
  not_permitted: 'bad',
  unknown: 'bad',
}

export type CheckResultProps = {
  readonly check: ResourceCheck
  readonly stored: Resource | undefined
  readonly text: string
  readonly isOutdated: boolean
}

/** Shows the verdict of the operator's code on the manifest. */
export function CheckResult({ check, stored, text, isOutdated }: CheckResultProps) {
  const names = texts.verdict
  const isChanged = stored === undefined || stored.manifest !== text
  const { result, errors, conditions } = check
  return (
    <section className="stack tight" aria-label={names.title} aria-busy={isOutdated}>
      <h2>{isChanged ? names.title : names.titleStored}</h2>
      <Notice tone={CHECK_TONES[result]} title={names.results[result]} live>
        {errors.length === 0 ? null : (
          <ul className="plain">
            {errors.map(({ path, message, line }) => (
              <li key={`${path} ${message}`}>
                <span className="mono">{path}</span> {message}{' '}
                {line === null ? null : <span className="soft">{names.line(line)}</span>}
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <div className="columns">
        {isChanged && conditions.length > 0 && check.place !== null ? (
          <section className="card stack tight">
            <h3>{names.conditions}</h3>
            <ConditionsList kind={check.place.kind} conditions={conditions} />
          </section>
        ) : null}
        <Variables variables={check.variables} />
        <OtherResources others={check.others} />
      </div>
      {isChanged ? <Differences check={check} stored={stored} text={text} /> : null}
    </section>
  )
}

function Variables({ variables }: Pick<ResourceCheck, 'variables'>) {
  if (variables.length === 0) return null
  const names = texts.verdict
  return (
    <section className="card stack tight">
      <h3>{texts.variables.title}</h3>
      <ul className="plain">
        {variables.map(({ name, state, value }) => (
          <li key={name} className="row between">
            <span className="mono">{name}</span>
            <span className="row">
              {value === null ? null : <span className="soft">{names.knownLater}</span>}
              <Badge tone={VARIABLE_TONES[state]}>{names.variableStates[state]}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Differences({ check, stored, text }: Omit<CheckResultProps, 'isOutdated'>) {
  const names = texts.verdict
  return (
    <>
      {stored === undefined ? null : (
        <>
          <h3>{names.differs}</h3>
          <TextDiff
            language="yaml"
            before={{ label: names.stored, text: stored.manifest }}
            after={{ label: names.draft, text }}
          />
        </>
      )}
      {check.file === null ? null : (
        <details>
          <summary>{names.file}</summary>
          <div className="stack tight">
            {check.file.cut ? <p className="soft">{names.cut}</p> : null}
            <TextDiff
              before={{ label: names.fileBefore, text: check.file.before }}
              after={{ label: names.fileAfter, text: check.file.after }}
            />
          </div>
        </details>
      )}
    </>
  )
}
