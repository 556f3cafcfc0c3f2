import { WHOLE_ANSWERS } from './answers-under-test.ts'
import type { RecordedAnswer } from './recorded-answer-under-test.ts'
import { STREAMED_ANSWERS } from './streams-under-test.ts'

export { REQUESTS_UNDER_TEST } from './requests-under-test.ts'

/** Answers of each dialect, whole and streamed, for all tests of code that reads payloads. */
export const ANSWERS_UNDER_TEST: readonly RecordedAnswer[] = [...WHOLE_ANSWERS, ...STREAMED_ANSWERS]
