import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { routersQuery } from '../../api/queries.ts'
import { texts } from '../../texts.ts'
import { Choice } from '../../ui/choice.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import type { FilterField, TransactionSearch } from './transaction-search.ts'

const ANY = 'any'
const STATUSES = [ANY, '2xx', '4xx', '5xx'] as const
const TYPED_MS = 400
const names = texts.transactions.filters

export type FiltersProps = {
  readonly search: TransactionSearch
  readonly onChange: (search: TransactionSearch) => void
}

/** Edits the filter. The address holds it, so that a link can be sent to a colleague. */
export function Filters({ search, onChange }: FiltersProps) {
  const { data } = useQuery(routersQuery)
  const set = (field: FilterField, value: string): void => {
    const { [field]: _, ...rest } = search
    onChange(value === '' || value === ANY ? rest : { ...rest, [field]: value })
  }
  const paths = [
    ...new Set([
      ...(data?.routers ?? []).map(({ path }) => path),
      ...(search.router === undefined ? [] : [search.router]),
    ]),
  ]
  const routers = [{ id: ANY, name: names.anyRouter }, ...paths.map((path) => ({ id: path, name: path }))]
  const statuses = [...new Set([...STATUSES, ...(search.status === undefined ? [] : [search.status])])].map((id) => ({
    id: String(id),
    name: id === ANY ? names.anyStatus : id,
  }))
  return (
    <search className="filters">
      <Choice
        label={names.router}
        value={search.router ?? ANY}
        options={routers}
        onChange={(value) => set('router', value)}
      />
      <Choice
        label={names.status}
        value={search.status ?? ANY}
        options={statuses}
        onChange={(value) => set('status', value)}
      />
      <TextFilter label={names.session} value={search.session ?? ''} onChange={(value) => set('session', value)} />
      <TextFilter
        label={names.errorType}
        value={search.error_type ?? ''}
        onChange={(value) => set('error_type', value)}
      />
      <TextFilter
        label={names.processor}
        value={search.processor ?? ''}
        onChange={(value) => set('processor', value)}
      />
      <TextFilter label={names.text} value={search.text ?? ''} onChange={(value) => set('text', value)} />
    </search>
  )
}

type TextFilterProps = { readonly label: string; readonly value: string; readonly onChange: (value: string) => void }

/** Reports a text when the person stops typing, not at each letter. */
function TextFilter({ label, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text restarts the timer
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text.trim()), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return <TextInput label={label} value={text} onChange={setText} />
}
