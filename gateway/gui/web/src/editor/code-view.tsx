import { json } from '@codemirror/lang-json'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { codeTheme } from './code-theme.ts'
import { schemaSupport } from './schema-support.ts'

export type CodeViewProps = {
  readonly label: string
  readonly text: string
  /** Absent: read only. */
  readonly onChange?: (text: string) => void
  /** A JSON Schema. */
  readonly schema?: object | undefined
}

/** CodeMirror with JSON. A text that comes from outside replaces the editor's only where it differs. */
export function CodeView({ label, text, onChange, schema }: CodeViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const change = useRef(onChange)
  const service = useRef(new Compartment())
  change.current = onChange
  const first = useRef(text)
  const isReadOnly = onChange === undefined

  useEffect(() => {
    if (place.current === null) return
    const told = EditorView.updateListener.of((update) => {
      if (update.docChanged) change.current?.(update.state.doc.toString())
    })
    const extensions = [
      basicSetup,
      json(),
      codeTheme(),
      EditorState.readOnly.of(isReadOnly),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      service.current.of([]),
      told,
    ]
    const created = new EditorView({
      state: EditorState.create({ doc: first.current, extensions }),
      parent: place.current,
    })
    view.current = created
    return () => created.destroy()
  }, [isReadOnly, label])

  useEffect(() => {
    const reconfigured = service.current.reconfigure(schema === undefined ? [] : schemaSupport(schema))
    view.current?.dispatch({ effects: reconfigured })
  }, [schema])

  useEffect(() => {
    first.current = text
    const current = view.current
    if (current === undefined || current.state.doc.toString() === text) return
    const held = change.current
    // What comes from outside is no edit of this person's.
    change.current = undefined
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
    change.current = held
  }, [text])

  return <div className="code-place" ref={place} />
}
