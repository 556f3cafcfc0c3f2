/** The process environment at the start of a program. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The sources of references: the environment, then the files of SECRETS_DIR; `secrets` is undefined where SECRETS_DIR
 * is unset.
 */
export type References = { readonly environment: Environment; readonly secrets?: ReadonlyMap<string, string> }

/** Configuration path → reason. */
export type ValidationErrors = Readonly<Record<string, string>>
