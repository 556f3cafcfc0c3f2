import { setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { type CodeLanguage, codeLanguage } from './code-language.ts'
import { codeTheme } from './code-theme.ts'
import { schemaSupport } from './schema-support.ts'
import { yamlSchemaSupport } from './yaml-schema-support.ts'

/** A problem at a line; lines begin at 1. */
export type LineProblem = { readonly line: number; readonly message: string }

export type CodeViewProps = {
  readonly label: string
  readonly text: string
  /** Unset makes the text read-only. */
  readonly onChange?: (text: string) => void
  /** Unset means JSON. */
  readonly language?: CodeLanguage
  /** A JSON Schema. */
  readonly schema?: object | undefined
  /** Problems from the server's check; problems of the schema are shown too. */
  readonly problems?: readonly LineProblem[] | undefined
  /** The first visible line. */
  readonly begin?: number | undefined
}

const ABOVE_PX = 80

/** Edits JSON or YAML in CodeMirror. A text from outside replaces only differing text. */
export function CodeView({ label, text, onChange, language = 'json', schema, problems, begin }: CodeViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const change = useRef(onChange)
  const service = useRef(new Compartment())
  change.current = onChange
  const first = useRef(text)
  const line = useRef(begin)
  const isReadOnly = onChange === undefined

  useEffect(() => {
    if (place.current === null) return
    const changeListener = EditorView.updateListener.of((update) => {
      if (update.docChanged) change.current?.(update.state.doc.toString())
    })
    const extensions = [
      basicSetup,
      codeLanguage(language),
      codeTheme(),
      EditorState.readOnly.of(isReadOnly),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      service.current.of([]),
      changeListener,
    ]
    const created = new EditorView({
      state: EditorState.create({ doc: first.current, extensions }),
      parent: place.current,
    })
    view.current = created
    if (line.current !== undefined) showLine(created, line.current)
    return () => created.destroy()
  }, [isReadOnly, label, language])

  useEffect(() => {
    const support = language === 'json' ? schemaSupport : yamlSchemaSupport
    const reconfigured = service.current.reconfigure(schema === undefined ? [] : support(schema))
    view.current?.dispatch({ effects: reconfigured })
  }, [schema, language])

  useEffect(() => {
    first.current = text
    const current = view.current
    if (current === undefined || current.state.doc.toString() === text) return
    const held = change.current
    // A text from outside is not an edit of this person.
    change.current = undefined
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
    change.current = held
  }, [text])

  useEffect(() => {
    const state = view.current?.state
    if (problems === undefined || state === undefined) return
    const found = problems.map(({ line, message }) => {
      const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines))
      return { from, to, message, severity: 'error' as const }
    })
    view.current?.dispatch(setDiagnostics(state, found))
  }, [problems])

  return <div className="code-place" ref={place} />
}

/** Scrolls the editor to a line, never the page around it. */
function showLine(view: EditorView, line: number): void {
  const { doc } = view.state
  const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  view.requestMeasure({
    read: () => view.lineBlockAt(from).top,
    write: (top) => view.scrollDOM.scrollTo({ top: top - ABOVE_PX }),
  })
}
