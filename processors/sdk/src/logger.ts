/** What this package writes its log lines with; the programs' own logger fits. Messages are constants, data is in the fields. */
export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
