import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { gatewayAddress } from '../../api/gateway-address.ts'
import { overviewQuery, recordQuery } from '../../api/queries.ts'
import { RecordView } from '../../record/record-view.tsx'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { rememberRecordRead } from '../overview/first-steps.tsx'

/** Shows one record. */
export function RecordPage() {
  const { id } = useParams({ from: '/transactions/$id' })
  const { data, error, refetch } = useQuery(recordQuery(id))
  const { data: overview } = useQuery(overviewQuery)
  useEffect(rememberRecordRead, [])
  const session = data?.transaction.session_id
  const path = data?.transaction.router ?? undefined
  return (
    <>
      <PageHead title={texts.record.title}>
        {session === null || session === undefined ? null : (
          <>
            <Link to="/transactions" search={{ session, view: 'conversation' }} className="button">
              {texts.record.followSession}
            </Link>
            <Link to="/transactions" search={{ session, view: 'history' }} className="button">
              {texts.record.sameSession}
            </Link>
          </>
        )}
        {path === undefined || overview?.edition !== 'standalone' ? null : (
          <Link to="/routers/edit" search={{ path }} className="button">
            {texts.record.router}
          </Link>
        )}
        <Link to="/transactions" search={{ view: 'history' }} className="button">
          {texts.record.all}
        </Link>
      </PageHead>
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      {data === undefined ? null : data.record === null ? (
        <Notice tone="warn" title={texts.record.tooLarge}>
          <pre className="payload">{data.beginning}</pre>
        </Notice>
      ) : (
        <RecordView key={id} record={data.record} gateway={gatewayAddress(overview)} />
      )}
    </>
  )
}
