import { errorCode } from '@llm-gateway/conf/failure'
import { type Failed, failed } from '../answer.ts'

/** Codes of the system, and the code that Node gives to a folder in place of a file. */
const SYSTEM_CODE = /^(?:E[A-Z0-9]+|ERR_FS_EISDIR)$/

/** Returns the failure for a write that the file system refused, as on a full disk; throws every other error. */
export function notWritable(error: unknown): Failed<'NOT_WRITABLE'> {
  const code = errorCode(error)
  if (!SYSTEM_CODE.test(code)) throw error
  return failed('NOT_WRITABLE', `The file, its draft or its archive can't be written (${code}). Nothing was changed.`)
}
