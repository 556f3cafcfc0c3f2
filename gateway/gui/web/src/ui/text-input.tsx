import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField, type TextFieldProps } from 'react-aria-components/TextField'
import { FieldReason, type FieldVerdict } from './field-reason.tsx'

export type TextInputProps = TextFieldProps & {
  readonly label: string
  readonly hint?: string | undefined
  readonly placeholder?: string
  /** True for technical texts: paths, addresses, references. */
  readonly mono?: boolean
  readonly lines?: number
  readonly verdict?: FieldVerdict | undefined
  /** True if the label is only read aloud, because the column shows it. */
  readonly hideLabel?: boolean
}

/** Edits one or several lines of text, with a label, a hint and the gateway's verdict. */
export function TextInput({ label, hint, placeholder, mono, lines, verdict, hideLabel, ...props }: TextInputProps) {
  const className = mono === true ? 'input mono' : 'input'
  const isInvalid = verdict !== undefined && verdict.state !== 'valid'
  const text = placeholder === undefined ? {} : { placeholder }
  return (
    <TextField {...props} className="field" isInvalid={isInvalid} validationBehavior="aria">
      <Label className={hideLabel === true ? 'visually-hidden' : 'label'}>{label}</Label>
      {lines === undefined ? (
        <Input className={className} spellCheck={mono === true ? 'false' : undefined} {...text} />
      ) : (
        <TextArea className={className} rows={lines} spellCheck="false" {...text} />
      )}
      {verdict === undefined ? null : <FieldReason verdict={verdict} />}
      {hint === undefined ? null : <Text slot="description">{hint}</Text>}
    </TextField>
  )
}
