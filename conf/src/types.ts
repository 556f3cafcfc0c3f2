/** The process environment as a program was started with it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What `${NAME}` resolves from: the environment, then SECRETS_DIR (undefined: none is set). */
export type References = { readonly environment: Environment; readonly secrets?: ReadonlyMap<string, string> }

/** Configuration path → reason. */
export type ValidationErrors = Readonly<Record<string, string>>
