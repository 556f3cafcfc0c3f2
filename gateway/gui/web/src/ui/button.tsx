import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'

export type ButtonProps = AriaButtonProps & {
  /** The button's look; a page has one primary button. */
  readonly look?: 'primary' | 'danger' | 'quiet'
  readonly small?: boolean
  /** True if the content is a single symbol; the button's name then comes from aria-label. */
  readonly icon?: boolean
}

export function Button({ look, small, icon, className, ...props }: ButtonProps) {
  const classes = ['button', look, small === true && 'small', icon === true && 'icon', className]
  return <AriaButton {...props} className={classes.filter(Boolean).join(' ')} />
}
