import type { Edit } from '@llm-gateway/gui-api'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { applyEdit } from '../../api/apply-edit.ts'
import type { EditedFile } from '../../api/use-file.ts'
import { elementsOf, valueAt } from '../../json-value.ts'
import { routerIndex, routerPlace } from './router-place.ts'

const ROUTE = '/routers/edit'

/**
 * Returns the current index of the address's router in the file, -1 if it is gone, and an edit function. An edited path
 * is followed at once; the address changes after the save, so that the form stays while a person types.
 */
export function useRouterIndex({ value, pending, editor }: EditedFile) {
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate()
  const [place, setPlace] = useState(search)
  const asked = useRef(search)
  const entries = elementsOf(valueAt(value, ['routers']))
  useEffect(() => {
    // Only another chosen router counts, not this hook's own change of the address.
    if (asked.current.path === search.path && asked.current.nth === search.nth) return
    asked.current = search
    setPlace(search)
  }, [search])
  useEffect(() => {
    if (pending !== undefined || (place.path === search.path && place.nth === search.nth)) return
    if (asked.current.path !== search.path || asked.current.nth !== search.nth) return
    asked.current = place
    void navigate({ to: ROUTE, search: place, replace: true })
  }, [pending, place, search, navigate])
  const index = routerIndex(entries, place)
  const edit = (...edits: readonly Edit[]): void => {
    editor.edit(...edits)
    const after = elementsOf(valueAt(edits.reduce(applyEdit, value), ['routers']))
    if (index >= 0) setPlace(routerPlace(after, index))
  }
  return { index, edit }
}
