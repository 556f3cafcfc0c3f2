import { useEffect, useState } from 'react'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2_000

export type CopyButtonProps = { readonly label: string; readonly text: () => string }

/** Copies a text to the clipboard and shows the outcome on the button. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'done' | 'failed'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void => {
    // Browsers have a clipboard only on HTTPS and localhost.
    const written = navigator.clipboard === undefined ? Promise.reject() : navigator.clipboard.writeText(text())
    written.then(
      () => setOutcome('done'),
      () => setOutcome('failed'),
    )
  }
  return (
    <Button small onPress={copy}>
      {outcome === undefined ? label : outcome === 'done' ? texts.copied : texts.copyFailed}
    </Button>
  )
}
