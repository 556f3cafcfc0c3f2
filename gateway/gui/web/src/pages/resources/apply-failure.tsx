import { RequestFailure } from '../../api/request.ts'
import { texts } from '../../texts.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Shows a refusal of the API server: the owners of fields, or the missing right and the command that grants it. */
export function ApplyFailure({ error }: { readonly error: Error }) {
  const failure = error instanceof RequestFailure ? error.failure : undefined
  const { managers, command, fields } = failure ?? {}
  if (managers === undefined && command === undefined && fields === undefined) return <Failure error={error} />
  return (
    <Notice tone="bad" title={error.message} live>
      <div className="stack tight">
        {managers === undefined ? null : <FieldOwners managers={managers} />}
        {(fields ?? []).map(({ path, message }) => (
          <p key={path.join('.')}>
            <span className="mono">{path.join('.')}</span> {message}
          </p>
        ))}
        {command === undefined ? null : <CommandLine command={command} />}
      </div>
    </Notice>
  )
}

function FieldOwners({
  managers,
}: {
  readonly managers: readonly { readonly path: string; readonly manager: string }[]
}) {
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{texts.apply.field}</th>
            <th scope="col">{texts.apply.owner}</th>
          </tr>
        </thead>
        <tbody>
          {managers.map(({ path, manager }) => (
            <tr key={`${path} ${manager}`}>
              <td className="mono">{path}</td>
              <td>{manager}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{texts.apply.conflictTodo}</p>
    </>
  )
}
