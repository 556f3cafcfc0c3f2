import type { ArchiveEntry, FileName } from '@llm-gateway/gui-api'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { archivedQuery, archiveQuery, fileQuery } from '../../api/queries.ts'
import { request } from '../../api/request.ts'
import { TextDiff } from '../../editor/text-editor.tsx'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'

export type ArchiveListProps = {
  readonly name: FileName
  readonly tag: string
  readonly hasDraft: boolean
  /** Called when a version has become the draft; `time` is when it was deployed or found. */
  readonly onRestored: (time: string) => void
}

/** Lists the earlier versions, each with a button that restores it. */
export function ArchiveList({ name, tag, hasDraft, onRestored }: ArchiveListProps) {
  const { data: entries, error } = useQuery(archiveQuery(name))
  const [open, setOpen] = useState<string>()
  const client = useQueryClient()
  const restore = useMutation({
    mutationFn: ({ digest }: ArchiveEntry) => request('restore', { parameters: { file: name, digest }, body: { tag } }),
    onSuccess: (saved, { time }) => {
      onRestored(time)
      client.setQueryData(fileQuery(name).queryKey, saved)
      void client.invalidateQueries()
      window.scrollTo({ top: 0 })
    },
  })
  const failure = error ?? restore.error
  return (
    <section className="stack tight">
      <h2>{texts.archive.title}</h2>
      {failure === null ? null : <Failure error={failure} />}
      {entries?.length === 0 ? <p className="soft">{texts.archive.empty}</p> : null}
      {entries === undefined || entries.length === 0 ? null : (
        <ul className="list">
          {entries.map((entry) => (
            <li key={`${entry.digest} ${entry.time}`}>
              <div className="what">
                <div className="row">
                  <span className="number">{texts.dateTime(entry.time)}</span>
                  {entry.live ? <Badge tone="good">{texts.archive.live}</Badge> : null}
                </div>
                <p className="soft">{describeVersion(entry)}</p>
              </div>
              {entry.live ? null : (
                <Button small onPress={() => setOpen(open === entry.digest ? undefined : entry.digest)}>
                  {open === entry.digest ? texts.archive.hide : texts.archive.compare}
                </Button>
              )}
              {entry.live ? null : (
                <Button
                  small
                  isDisabled={restore.isPending}
                  aria-label={texts.archive.restoreName(
                    hasDraft ? texts.archive.replace : texts.archive.restore,
                    texts.dateTime(entry.time),
                  )}
                  onPress={() => restore.mutate(entry)}
                >
                  {hasDraft ? texts.archive.replace : texts.archive.restore}
                </Button>
              )}
              {open === entry.digest ? <Compared name={name} digest={entry.digest} /> : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function describeVersion({ origin, name, note, digest }: ArchiveEntry): string {
  const who = origin === 'found' ? texts.archive.found : texts.archive.by(name)
  return [who, note, texts.digest(digest)].filter((text) => text !== '').join(' · ')
}

function Compared({ name, digest }: { readonly name: FileName; readonly digest: string }) {
  const { data: version, error } = useQuery(archivedQuery(name, digest))
  const { data: file } = useQuery(fileQuery(name))
  if (error !== null) return <Failure error={error} />
  if (version === undefined || file === undefined) return <p className="soft">{texts.loading}</p>
  return (
    <div className="whole-line stack tight">
      {version.text === file.live?.text ? <p>{texts.changes.onlyKeys}</p> : null}
      <TextDiff
        before={{ label: texts.archive.former, text: version.text }}
        after={{ label: texts.changes.runs, text: file.live?.text ?? '' }}
      />
    </div>
  )
}
