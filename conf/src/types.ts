/** The process environment as a program was started with it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The sources of references: the environment, then the files of SECRETS_DIR (undefined: the variable is unset). */
export type References = { readonly environment: Environment; readonly secrets?: ReadonlyMap<string, string> }

/** Configuration path → reason. */
export type ValidationErrors = Readonly<Record<string, string>>
