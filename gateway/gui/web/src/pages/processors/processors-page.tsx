import type { Edit } from '@llm-gateway/gui-api'
import { useFile } from '../../api/use-file.ts'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SaveFailure, SaveState } from '../routers/router-page.tsx'
import { AddProcessor } from './add-processor.tsx'
import { PhaseRows } from './phase-rows.tsx'
import { type Phase, pathOf, rowsOf } from './rows.ts'

const PHASES = ['request', 'response'] as const

/** Shows the rows of processors of both phases. */
export function ProcessorsPage() {
  const edited = useFile('gl_config.json')
  const { editor, value, file, loadFailure } = edited
  const names = texts.processors
  const edit = (edits: readonly Edit[]): void => {
    if (edits.length === 0) return
    editor.edit(...edits)
    void editor.flush()
  }
  const add = (phase: Phase, entry: object): void => {
    const rows = rowsOf(value, phase)
    const path = [...pathOf(phase)]
    edit([
      rows.length === 0
        ? { op: 'set', path, value: [[entry]] }
        : { op: 'insert', path: [...path, rows.length], value: [entry] },
    ])
  }
  return (
    <>
      <PageHead title={texts.nav.processors}>
        <SaveState edited={edited} />
        <AddProcessor onAdd={add} />
      </PageHead>
      {loadFailure === null ? null : <Failure error={loadFailure} />}
      <SaveFailure edited={edited} />
      <p className="soft">{names.about}</p>
      {file === undefined
        ? null
        : PHASES.map((phase) => (
            <section key={phase} className="stack">
              <div>
                <h2>{names.phases[phase]}</h2>
                <p className="soft">{names.phaseText[phase]}</p>
              </div>
              <PhaseRows phase={phase} rows={rowsOf(value, phase)} check={file.check} onEdit={edit} />
            </section>
          ))}
      <Notice tone="accent" title={names.howTitle}>
        {names.how}
      </Notice>
    </>
  )
}
