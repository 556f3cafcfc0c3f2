export type FirstSteps = {
  readonly port: number
  /** The duration of the start, as text. */
  readonly seconds: string
  readonly demo: boolean
  /** False: the regex processor waits for re2. */
  readonly regex: boolean
  /** The optional services that don't run yet. */
  readonly late: readonly string[]
  /** Lines about disabled routers. */
  readonly off: readonly string[]
  /** The folder `.run`. */
  readonly folder: string
  readonly gui: WebInterface
}

export type WebInterface =
  /** `password`: the place of the password. */
  | { readonly kind: 'open'; readonly port: number; readonly password: string }
  | { readonly kind: 'off'; readonly why: string }

/** Returns the lines shown after the start: a call to try, the place of its record, and how to stop. */
export function firstSteps({ port, seconds, demo, regex, late, off, folder, gui }: FirstSteps): readonly string[] {
  const llm = demo
    ? 'No LLM API is connected, because AISERVICE_API_BASE is unset. A demo LLM answers and says so in each answer.'
    : 'The LLM API is the AISERVICE_API_BASE of your environment.'
  const all = late.length === 0 ? 'All processors' : 'All other processors'
  const processors = regex
    ? `${all} are running`
    : `${all} but regex are running; regex (/markdown/, /json/) starts when re2 is built, which takes minutes`
  return [
    '',
    `The gateway is running at http://localhost:${port} (${seconds} s). ${llm}`,
    '',
    gui.kind === 'open'
      ? `Web interface: http://localhost:${gui.port}/login, the password is ${gui.password}.`
      : `Web interface: off, ${gui.why}.`,
    '',
    'Try it:',
    `  curl http://localhost:${port}/service/standard/v1/chat/completions -H 'Content-Type: application/json' \\`,
    `    -d '{"messages":[{"role":"user","content":"Hello"}]}'`,
    '',
    ...(late.length === 0
      ? []
      : [`Not running yet: ${late.join(', ')}. Lines above say why; each is tried again every minute.`]),
    `${processors}.`,
    'conf/examples/processors/README.md explains the routers /markdown/, /json/, /pool/ and /mock/….',
    ...off,
    `Records: ${folder}/app/log/llm-gateway.jsonl, or live with \`make records FIELD=response.gl_path\`.`,
    `Configuration: ${folder}/app/conf, reloaded when a file changes; updates keep your edits.`,
    'Ctrl-C stops everything.',
  ]
}
