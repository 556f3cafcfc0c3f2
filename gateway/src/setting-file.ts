import { readSmallFile } from '@llm-gateway/conf'

/** A file named by a setting is unusable: `field` as in gl_config.json, `file` as written there. */
export class SettingFileError extends Error {
  readonly code: string
  readonly field: string
  readonly file: string
  /** Further fields of the log line, such as the limit that the file exceeds. */
  readonly details: Readonly<Record<string, number>>
  constructor(code: string, field: string, file: string, details: SettingFileError['details'] = {}) {
    super(`${field}: ${code}`)
    this.code = code
    this.field = field
    this.file = file
    this.details = details
  }
}

/** Reads the file's text; rejects with SettingFileError and the system's code (ENOENT, EACCES) or one of our own. */
export async function readSettingFile(field: string, file: string): Promise<string> {
  try {
    return (await readSmallFile(file)).toString()
  } catch (error) {
    throw new SettingFileError(codeOf(error) ?? 'FILE_NOT_READABLE', field, file)
  }
}

/** Returns the fields of an error's log line: the code, and the file and its setting where they are known. */
export function failureFields(error: unknown, otherwise = 'INTERNAL'): Readonly<Record<string, string | number>> {
  if (error instanceof SettingFileError) {
    const { code, field, file, details } = error
    return { code, field, file, ...details }
  }
  return { code: codeOf(error) ?? otherwise }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
