import { clock, count, dateTime, minute, plural, rate, shortBytes, shortDigest, shortMilliseconds } from './formats.ts'
import { changesTexts } from './texts/changes-texts.ts'
import { manifestTexts } from './texts/manifest-texts.ts'
import { overviewTexts } from './texts/overview-texts.ts'
import { processorsTexts } from './texts/processors-texts.ts'
import { resourcesTexts } from './texts/resources-texts.ts'
import { routersTexts } from './texts/routers-texts.ts'
import { settingsTexts } from './texts/settings-texts.ts'
import { shellTexts } from './texts/shell-texts.ts'
import { transactionsTexts } from './texts/transactions-texts.ts'
import { tryTexts } from './texts/try-texts.ts'

/** All English texts of the page. The texts of single pages are files in `texts/`. */
export const texts = {
  product: 'LLM Gateway',
  skip: 'Skip to the page',
  loading: 'Loading…',
  cancel: 'Cancel',
  again: 'Try again',
  retryAfter: (seconds: number) => `Try again in ${plural(Math.ceil(seconds), 'second')}.`,
  copied: 'Copied',
  copyFailed: 'Copying is not allowed here: select the text and copy it',
  unknown: 'unknown',
  noAnswer: 'The web interface does not answer. Is it still running?',
  milliseconds: shortMilliseconds,
  bytes: shortBytes,
  count,
  rate,
  clock,
  minute,
  dateTime,
  digest: shortDigest,
  ...shellTexts,
  ...overviewTexts,
  ...routersTexts,
  ...processorsTexts,
  ...changesTexts,
  ...transactionsTexts,
  ...tryTexts,
  ...settingsTexts,
  ...resourcesTexts,
  ...manifestTexts,
} as const
