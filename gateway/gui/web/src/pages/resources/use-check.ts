import type { ResourceCheck } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { checkResourceQuery } from '../../api/resource-queries.ts'

/** Long enough to finish a word, short enough that the verdict feels immediate. */
const CHECK_AFTER_MS = 350

export type CheckState = {
  readonly check: ResourceCheck | undefined
  readonly error: Error | null
  /** True while the verdict belongs to an earlier text. */
  readonly isOutdated: boolean
}

/** Checks a manifest, a moment after the last keystroke. */
export function useCheck(manifest: string, generation: number | undefined): CheckState {
  const [asked, setAsked] = useState(manifest)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(manifest), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [manifest])
  const { data, error, isPlaceholderData } = useQuery(checkResourceQuery(asked, generation))
  return { check: data, error, isOutdated: isPlaceholderData || asked !== manifest }
}
