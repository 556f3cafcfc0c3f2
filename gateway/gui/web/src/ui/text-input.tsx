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
  /** Written by machines: paths, addresses, references. */
  readonly mono?: boolean
  readonly lines?: number
  readonly verdict?: FieldVerdict | undefined
  /** The label is read aloud but not shown: its column says it. */
  readonly hideLabel?: boolean
}

/** One line, or `lines` of them, with its label, its hint and how the gateway judges it. */
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
