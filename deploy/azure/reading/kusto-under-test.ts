import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'

export type Column = { readonly name: string; readonly type: string }
export type CheckedQuery = {
  /** Errors and warnings of the language service. */
  readonly complaints: readonly string[]
  readonly columns: readonly Column[]
}

/** Checks a query with Microsoft's own language service, whose scripts share one global object. */
const CHECK = `(query, name, columns) => {
  const { Symbols, GlobalState, KustoCode } = Kusto.Language
  const types = { datetime: 'DateTime', string: 'String', long: 'Long', dynamic: 'Dynamic' }
  const symbols = JSON.parse(columns).map(({ name, type }) => new Symbols.ColumnSymbol(name, Symbols.ScalarTypes[types[type]]))
  const table = new Symbols.TableSymbol.$ctor4(name, symbols)
  const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.$ctor2('workspace', null, [table]))
  const code = KustoCode.ParseAndAnalyze(query, globals)
  const list = (found) => Array.from({ length: found.Count }, (_, at) => found.getItem(at))
  return JSON.stringify({
    complaints: list(code.GetDiagnostics()).map(({ Severity, Message, Start }) => Severity + ' at ' + Start + ': ' + Message),
    columns: code.ResultType?.Columns ? list(code.ResultType.Columns).map(({ Name, Type }) => ({ name: Name, type: Type.Name })) : [],
  })
}`

/** Makes a checker of queries on a table. */
export function createQueryCheck(table: string, columns: readonly Column[]): (query: string) => CheckedQuery {
  const folder = fileURLToPath(new URL('.', import.meta.resolve('@kusto/language-service-next')))
  const context = createContext({ console })
  for (const name of ['bridge.min.js', 'Kusto.Language.Bridge.min.js'])
    new Script(readFileSync(join(folder, name), 'utf8'), { filename: name }).runInContext(context)
  const check: unknown = new Script(CHECK).runInContext(context)
  assert.ok(typeof check === 'function')
  return (query) => JSON.parse(check(query, table, JSON.stringify(columns)))
}
