import type { ResourceCheck } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { checkResourceQuery } from '../../api/resource-queries.ts'

/** Long enough for a word, short enough that the verdict feels immediate. */
const CHECK_AFTER_MS = 350

export type Checked = {
  readonly check: ResourceCheck | undefined
  readonly error: Error | null
  /** The verdict is of an earlier text. */
  readonly isBehind: boolean
}

/** The verdict on a manifest, a moment after the last letter. */
export function useCheck(manifest: string, generation: number | undefined): Checked {
  const [asked, setAsked] = useState(manifest)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(manifest), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [manifest])
  const { data, error, isPlaceholderData } = useQuery(checkResourceQuery(asked, generation))
  return { check: data, error, isBehind: isPlaceholderData || asked !== manifest }
}
