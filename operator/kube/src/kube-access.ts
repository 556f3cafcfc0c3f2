/** The address of the API server and the credentials for it. */
export type KubeAccess = {
  readonly server: string
  /** Settings of the TLS connection, as PEM texts. */
  readonly tls: KubeTls
  /** Returns the current Authorization header. Tokens of service accounts are replaced while the process runs. */
  authorization(): Promise<string | undefined>
  /** Drops the cached token, after an answer 401. */
  refused(): void
}

export type KubeTls = {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly servername?: string | undefined
  readonly rejectUnauthorized?: boolean | undefined
}
