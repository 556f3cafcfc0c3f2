import { errorTable } from '@llm-gateway/gateway/errors'
import { BUS_CODE_TEXTS, FILE_CODE_TEXTS, REASON_TEXTS } from './code-texts.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { anchored, code, page, plain, table } from './markdown.ts'

const TYPES: Readonly<Record<string, string>> = {
  caller_bad_request: 'The request is not acceptable.',
  caller_unauthorized: 'The request failed the ingress check.',
  caller_cancelled: 'The caller went away before the answer was complete.',
  gateway_overloaded: 'The gateway has no room for the call at the moment. An answer that had begun breaks off.',
  gateway_internal: 'The gateway failed.',
  policy_unavailable: 'A required processor gave no answer.',
  policy_denied: 'A rule of the configuration denies the call.',
  provider_connect: 'The LLM API was not reached, or its answer could not be read.',
  provider_timeout: 'The LLM API took too long.',
}
/** Error types of records and metrics only: the caller gets the LLM API's own answer. */
const WITHOUT_CODE: Readonly<Record<string, string>> = {
  provider_error: 'The LLM API answered with an HTTP error. The answer passes untouched.',
  provider_stream: 'The LLM API broke off after its answer had begun.',
}

/** Writes the page of the gateway's errors, with cause and remedy of each. */
export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([name, { status, type }]) => {
    const { cause, remedy } = ERROR_TEXTS[name] ?? { cause: '', remedy: '' }
    return [anchored(name), String(status), code(type), plain(cause), plain(remedy)]
  })
  const types = Object.entries({ ...TYPES, ...WITHOUT_CODE }).map(([type, text]) => [anchored(type), text])
  return page('Errors', [
    'This page lists the errors of the gateway and of its configuration files. [HTTP](http.md#errors) shows the form of an error answer.',
    '## Codes',
    'An answer of the gateway to a failed call has a code. Codes are stable, so programs may compare them. The message beside a code is for people.',
    table(['Code', 'Status', 'Error type', 'Cause', 'What to do'], rows),
    'An answer with a code that begins with `UPSTREAM_` has an empty body and the code in the header `Gateway-Error`. `CALLER_GONE` and its status appear only in records and metrics.',
    '## Error types',
    'The error type is `error.type` of the answer, `error_type` of the record and the label `error_type` of metrics.',
    table(['Error type', 'Meaning'], types),
    '## Reasons of refused settings',
    'A program that refuses a setting names the setting and one of these reasons: in `rejected_fields` and `validation_errors` of log lines, in `/status` and in the output of `--validate`. It never shows the value.',
    codeTable('Reason', REASON_TEXTS, 'reason'),
    '## Codes of files',
    'These codes appear in log lines and as `reload.reason` of `/status`. Further values of `reload.reason` are `STARTING`; `VALUES_MISSING`: the gateway waits for values; `INVALID`: `validation_errors` in the log says why; `OUT_OF_MEMORY` and `TIMEOUT`: a large file needed too much memory or more than a minute; `INTERNAL`: a fault of the gateway. After `TIMEOUT` and after the loss of the thread that reads the file, the gateway tries again every 30 s.',
    codeTable('Code', FILE_CODE_TEXTS, 'file'),
    '## Codes of the bus',
    'These codes appear in log lines of the gateway.',
    codeTable('Code', BUS_CODE_TEXTS, 'bus'),
    'Failures of the web interface’s API are listed in [its reference](web-api.md#failures).',
  ])
}

function codeTable(head: string, texts: Readonly<Record<string, string>>, section: string): string {
  return table(
    [head, 'Meaning'],
    Object.entries(texts).map(([name, text]) => [anchored(name, section), plain(text)]),
  )
}

export function knownTypes(): ReadonlySet<string> {
  return new Set(Object.keys(TYPES))
}
