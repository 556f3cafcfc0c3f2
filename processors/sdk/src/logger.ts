/** The logger of this package, compatible with the programs' own. Messages are constants; data is in the fields. */
export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
