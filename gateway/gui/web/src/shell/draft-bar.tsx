import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { fileQuery, filesQuery } from '../api/queries.ts'
import { texts } from '../texts.ts'

/** Names the files with a draft that isn't live. The bar is always shown, so that the page doesn't move. */
export function DraftBar() {
  const { data: files } = useQuery(filesQuery)
  const client = useQueryClient()
  const { pathname } = useLocation()
  useEffect(() => {
    // Files that were changed elsewhere are loaded again.
    for (const { name, live, draft } of files ?? []) {
      const known = client.getQueryData(fileQuery(name).queryKey)
      const tag = draft?.digest ?? live?.digest
      if (known === undefined || (known.tag === tag && known.live?.digest === live?.digest)) continue
      void client.invalidateQueries({ queryKey: fileQuery(name).queryKey })
    }
  }, [client, files])
  const drafts = (files ?? []).filter(({ draft }) => draft !== null)
  const conflict = drafts.some(({ draft }) => draft?.conflict === true)
  const look = conflict ? 'draft-bar broken' : drafts.length > 0 ? 'draft-bar changed' : 'draft-bar'
  const [first] = drafts
  return (
    <div className={look} role="status">
      <span>
        {files === undefined
          ? texts.loading
          : texts.drafts.bar(
              drafts.map(({ name }) => name),
              conflict,
            )}
      </span>
      {first === undefined || pathname === '/changes' ? (
        <span className="button small quiet-place" />
      ) : (
        <Link to="/changes" search={{ file: first.name }} className="button primary small">
          {texts.drafts.review}
        </Link>
      )}
    </div>
  )
}
