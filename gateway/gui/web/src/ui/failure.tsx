import { RequestFailure } from '../api/request.ts'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export type FailureProps = { readonly error: Error; readonly retry?: () => void }

/** Shows the server's error message and a way to try again. */
export function Failure({ error, retry }: FailureProps) {
  const seconds = error instanceof RequestFailure ? error.failure?.retry_after_seconds : undefined
  return (
    <Notice tone="bad" title={error.message} live>
      {seconds === undefined ? null : <p>{texts.retryAfter(seconds)}</p>}
      {retry === undefined ? null : (
        <Button small onPress={retry}>
          {texts.again}
        </Button>
      )}
    </Notice>
  )
}
