import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recordQuery } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import { RecordView } from '../../record/record-view.tsx'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'

const AGAIN_MS = 500
const TRIES = 30

export type TriedRecordProps = { readonly transactionId: string | null; readonly gateway: string }

/** Shows the record of the tried call, which exists only after the last processor has answered. */
export function TriedRecord({ transactionId, gateway }: TriedRecordProps) {
  const asked = { session: transactionId ?? '', limit: 1 }
  const {
    data: history,
    dataUpdatedAt,
    error,
  } = useQuery({
    queryKey: ['record-of', transactionId],
    queryFn: ({ signal }) => request('history', { query: asked, signal }),
    enabled: transactionId !== null,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      (state.data?.transactions.length ?? 0) > 0 || state.dataUpdateCount > TRIES ? false : AGAIN_MS,
  })
  const id = history?.transactions[0]?.id
  const { data } = useQuery({ ...recordQuery(id ?? ''), enabled: id !== undefined })
  if (transactionId === null) return <p className="soft">{texts.try.noRecord}</p>
  return (
    <section className="card stack">
      <div className="row between">
        <h2>{texts.try.record}</h2>
        {id === undefined ? null : (
          <Link to="/transactions/$id" params={{ id }}>
            {texts.try.recordPage}
          </Link>
        )}
      </div>
      {error === null ? null : <Failure error={error} />}
      {data === undefined || data.record === null ? (
        <p className="soft" key={dataUpdatedAt}>
          {texts.try.recordComes}
        </p>
      ) : (
        <RecordView record={data.record} gateway={gateway} />
      )}
    </section>
  )
}
