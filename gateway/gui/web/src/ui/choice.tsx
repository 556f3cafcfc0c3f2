import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'

/** Wider than a scroll bar: the window's width includes the scroll bar, and the list must not lie below it. */
const EDGE_PX = 24

export type ChoiceProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly id: T; readonly name: string }[]
  readonly onChange: (value: T) => void
  readonly hideLabel?: boolean
}

/** Chooses one option from a list that opens. */
export function Choice<T extends string>({ label, value, options, onChange, hideLabel }: ChoiceProps<T>) {
  const change = (key: unknown): void => {
    const found = options.find(({ id }) => id === key)
    if (found !== undefined) onChange(found.id)
  }
  return (
    <Select className="field" value={value} onChange={change}>
      <Label className={hideLabel === true ? 'visually-hidden' : 'label'}>{label}</Label>
      <Button className="input select-button">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover" containerPadding={EDGE_PX}>
        <ListBox>
          {options.map(({ id, name }) => (
            <ListBoxItem key={id} id={id} className="option" textValue={name}>
              {name}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  )
}
