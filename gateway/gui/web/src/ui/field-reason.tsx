import { Text } from 'react-aria-components/Text'
import { texts } from '../texts.ts'

export type FieldVerdict = {
  readonly state: 'valid' | 'missing' | 'required' | 'invalid'
  readonly reason: string
}

/** Shows the gateway's verdict on a field: a word and a reason. */
export function FieldReason({ verdict: { state, reason } }: { readonly verdict: FieldVerdict }) {
  const content = (
    <>
      <span className={`badge ${state === 'valid' ? 'good' : 'bad'}`}>{texts.states[state]}</span>
      <span>{reason}</span>
    </>
  )
  // Screen readers read an errorMessage together with its field.
  return state === 'valid' ? (
    <span className="reason valid">{content}</span>
  ) : (
    <Text slot="errorMessage" className={`reason ${state}`}>
      {content}
    </Text>
  )
}
