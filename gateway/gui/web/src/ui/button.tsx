import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'

export type ButtonProps = AriaButtonProps & {
  /** What it looks like; one primary button a page. */
  readonly look?: 'primary' | 'danger' | 'quiet'
  readonly small?: boolean
  /** Its content is one sign: the name comes from aria-label. */
  readonly icon?: boolean
}

export function Button({ look, small, icon, className, ...props }: ButtonProps) {
  const classes = ['button', look, small === true && 'small', icon === true && 'icon', className]
  return <AriaButton {...props} className={classes.filter(Boolean).join(' ')} />
}
