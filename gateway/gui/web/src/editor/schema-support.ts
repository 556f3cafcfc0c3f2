import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { type Diagnostic, linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import { getLanguageService, type MarkedString, TextDocument } from 'vscode-json-languageservice'

const ADDRESS = 'inmemory://draft.json'
const SCHEMA_ADDRESS = 'inmemory://schema.json'
const SEVERITY_ERROR = 1

/** Adds completion, problems and descriptions from a JSON Schema. */
export function schemaSupport(schema: object): Extension {
  const service = getLanguageService({
    // A file may name its schema by an address; this schema is used for any address.
    schemaRequestService: async () => JSON.stringify(schema),
  })
  service.configure({ validate: true, schemas: [{ uri: SCHEMA_ADDRESS, fileMatch: ['*'], schema }] })
  const parsed = (text: string) => {
    const document = TextDocument.create(ADDRESS, 'json', 0, text)
    return { document, tree: service.parseJSONDocument(document) }
  }

  const complain = async (view: EditorView): Promise<readonly Diagnostic[]> => {
    const { document, tree } = parsed(view.state.doc.toString())
    const found = await service.doValidation(document, tree)
    return found.map(({ range, message, severity }) => ({
      from: document.offsetAt(range.start),
      to: document.offsetAt(range.end),
      severity: severity === undefined || severity === SEVERITY_ERROR ? 'error' : 'warning',
      message: plain(message),
    }))
  }

  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { document, tree } = parsed(context.state.doc.toString())
    const list = await service.doComplete(document, document.positionAt(context.pos), tree)
    if (list === null || list.items.length === 0) return null
    const word = context.matchBefore(/"?[\w.$-]*"?/)
    return {
      from: word?.from ?? context.pos,
      options: list.items.map(({ label, documentation, insertText }) => ({
        label: insertText?.startsWith('"') === true ? `"${label.replaceAll('"', '')}"` : label,
        // The service's snippets contain marks for the cursor, which have no meaning in CodeMirror.
        apply: (insertText ?? label).replaceAll(/\$\{?\d+(:([^}]*)\})?/g, '$2'),
        info: plain(documentation),
      })),
    }
  }

  const hover = async (view: EditorView, pos: number): Promise<Tooltip | null> => {
    const { document, tree } = parsed(view.state.doc.toString())
    const found = await service.doHover(document, document.positionAt(pos), tree)
    if (found === null) return null
    const contents = Array.isArray(found.contents) ? found.contents : [found.contents]
    const text = contents.map((content) => plain(content)).join('\n')
    return text === '' ? null : { pos, create: () => ({ dom: paragraph(text) }) }
  }

  return [linter(complain), autocompletion({ override: [complete] }), hoverTooltip(hover)]
}

function plain(documentation: MarkedString | { readonly value: string } | undefined): string {
  return typeof documentation === 'string' ? documentation : (documentation?.value ?? '')
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p')
  element.className = 'code-hover'
  element.textContent = text
  return element
}
