import { texts } from '../texts.ts'
import { CopyButton } from './copy-button.tsx'

/** Shows a command for a terminal, to copy. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="command-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled with the keyboard */}
      <pre className="payload" tabIndex={0}>
        {command}
      </pre>
      <CopyButton label={texts.copyCommand} text={() => command} />
    </div>
  )
}
