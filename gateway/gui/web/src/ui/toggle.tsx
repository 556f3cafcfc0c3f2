import type { ReactNode } from 'react'
import { Switch } from 'react-aria-components/Switch'

export type ToggleProps = {
  readonly children: ReactNode
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly isDisabled?: boolean
}

/** Switches a setting on or off, with its name beside the switch. */
export function Toggle({ children, ...props }: ToggleProps) {
  return (
    <Switch className="switch" {...props}>
      <span className="track" aria-hidden="true" />
      {children}
    </Switch>
  )
}
