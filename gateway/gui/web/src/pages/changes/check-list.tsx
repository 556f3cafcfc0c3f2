import type { Check, CheckedField, FileName } from '@llm-gateway/gui-api'
import { Link } from '@tanstack/react-router'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Notice, type Tone } from '../../ui/notice.tsx'
import { routerPlace } from '../routers/router-place.ts'
import { readablePath } from './readable-path.ts'

const TONES: Readonly<Record<Check['result'], Tone>> = {
  valid: 'good',
  partly: 'warn',
  invalid: 'bad',
  unchecked: 'accent',
}
const SHOWN = 50

export type CheckListProps = {
  readonly check: Check
  readonly file: FileName
  /** Entries of the checked text. */
  readonly routers: readonly unknown[]
}

/** Shows the check of a draft field by field. */
export function CheckList({ check, file, routers }: CheckListProps) {
  return (
    <Notice tone={TONES[check.result]} title={texts.check[check.result]}>
      {check.fields.length === 0 ? null : (
        <ul className="plain">
          {check.fields.slice(0, SHOWN).map((field) => (
            <CheckLine key={field.path.join('\n')} field={field} file={file} routers={routers} />
          ))}
        </ul>
      )}
      {check.unknown_keys.length === 0 ? null : <p className="soft">{texts.check.unknownKeys(check.unknown_keys)}</p>}
    </Notice>
  )
}

type CheckLineProps = Omit<CheckListProps, 'check'> & { readonly field: CheckedField }

function CheckLine({ field, file, routers }: CheckLineProps) {
  const { path, state, message } = field
  const [part, index] = path
  const place = readablePath(file, path, routers)
  return (
    <li className="row">
      <Badge tone={state === 'missing' ? 'warn' : 'bad'}>{texts.states[state]}</Badge>
      {file === 'gl_config.json' && part === 'routers' && typeof index === 'number' ? (
        <Link to="/routers/edit" search={routerPlace(routers, index)} className="mono">
          {place}
        </Link>
      ) : (
        <span className="mono">{place}</span>
      )}
      <span>{message}</span>
    </li>
  )
}
