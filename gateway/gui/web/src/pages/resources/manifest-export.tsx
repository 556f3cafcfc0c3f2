import type { ResourceCheck } from '@llm-gateway/gui-api'
import type { ResourcePlace } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'

export type ManifestExportProps = {
  readonly text: string
  readonly place: ResourcePlace
  readonly check: ResourceCheck
  /** Managers of the stored resource. */
  readonly managers: readonly string[]
}

/** Offers the manifest to copy or download, and the commands for a dry run and for applying it. */
export function ManifestExport({ text, place, check, managers }: ManifestExportProps) {
  const names = texts.manifestExport
  const file = `${place.kind.toLowerCase()}-${place.namespace}-${place.name}.yaml`
  const keepers = managers.filter((manager) => !manager.startsWith('kubectl') && manager !== 'llm-gateway-web')
  return (
    <section className="card stack" aria-label={names.title}>
      <h2>{names.title}</h2>
      {keepers.length === 0 ? null : <p>{names.managed(keepers)}</p>}
      {check.masked.length === 0 ? null : (
        <Notice tone="warn" title={names.masked}>
          <p>{names.maskedText}</p>
          <ul className="plain">
            {check.masked.map((path) => (
              <li key={path} className="mono">
                {path}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="buttons">
        <CopyButton label={names.copy} text={() => text} />
        <Button small onPress={() => download(file, text)}>
          {names.download(file)}
        </Button>
      </div>
      {check.result === 'invalid' ? null : (
        <div className="stack tight">
          <p>{names.dryRun}</p>
          <CommandLine command={`${check.command} < ${file}`} />
        </div>
      )}
    </section>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
