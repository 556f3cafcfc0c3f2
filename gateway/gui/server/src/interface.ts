import { setTimeout as delay } from 'node:timers/promises'
import {
  ConfError,
  checkGuiConfig,
  type Environment,
  type GuiConfig,
  type Logger,
  type ProgramFolders,
  readDelivery,
} from '@llm-gateway/conf'
import { busOptions } from '@llm-gateway/sdk'
import { Access } from './access/access.ts'
import type { Edition, EditionDependencies } from './edition.ts'
import { readFileEnvironment, readReferences } from './files/file-environment.ts'
import { readIngressCertificate } from './ingress-certificate.ts'
import { openPage } from './page/page.ts'
import { type Certificate, createServer, type WebServer } from './server.ts'
import { RecordSource } from './transactions/record-source.ts'
import { transactionRoutes } from './transactions/transaction-routes.ts'

export type InterfaceOptions = {
  /** gui_config.json */
  readonly file: string
  readonly environment: Environment
  readonly logger: Logger
  readonly version: string
  readonly places: ProgramFolders
  /** The built page. */
  readonly pageFolder: string
  /** The machine's name, accepted in `Host`. */
  readonly hostName: string
  readonly clock: Clock
}

export type Clock = {
  /** Unix milliseconds. */
  now(): number
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number
}

export type WebInterface = {
  /** undefined until the port is available. */
  readonly port: number | undefined
  close(): Promise<void>
}

const LOOK_MS = 2_000
const PORT_RETRY_MS = 5_000

/**
 * Reads and checks gui_config.json with its certificate. Returns undefined after an ERROR line when a file is not
 * readable or not valid.
 */
export async function readGuiConfig(
  file: string,
  environment: Environment,
  logger: Logger,
): Promise<{ readonly config: GuiConfig; readonly certificate: Certificate | undefined } | undefined> {
  const config = await readSettings(file, environment, logger)
  if (config === undefined) return undefined
  const reading = await readIngressCertificate(config.tls.ingress)
  if (reading.kind === 'read') return { config, certificate: reading.certificate }
  logger.error({ file, validation_errors: reading.validationErrors }, 'configuration file validation failed')
  return undefined
}

async function readSettings(file: string, environment: Environment, logger: Logger): Promise<GuiConfig | undefined> {
  try {
    const references = await readReferences(environment)
    const { bytes } = await readDelivery({ file })
    const check = checkGuiConfig(bytes, references)
    if (check.kind === 'invalid') {
      logger.error({ file, validation_errors: check.validationErrors }, 'configuration file validation failed')
      return undefined
    }
    if (check.unknownKeys.length > 0)
      logger.warn({ file, unknown_keys: check.unknownKeys }, 'configuration has unknown keys')
    return check.config
  } catch (error) {
    if (!(error instanceof ConfError)) throw error
    logger.error({ file, code: error.code }, 'configuration file not readable')
    return undefined
  }
}

/**
 * Starts the web interface. Returns undefined when its file or its bus's address can't be used. A taken port is tried again every 5 s;
 * everything else starts without it.
 */
export async function startInterface(options: InterfaceOptions): Promise<WebInterface | undefined> {
  const { environment, logger, file } = options
  const read = await readGuiConfig(file, environment, logger)
  if (read === undefined) return undefined
  const { config, certificate } = read
  const bus = busOptions(environment, config.service_bus)
  if (bus === undefined) {
    // The file's own address was checked with the file.
    logger.error({ validation_errors: { GATEWAY_HOST: 'address:' } }, 'configuration file validation failed')
    return undefined
  }
  let current = config
  logger.level = config.log_level
  const { generated } = await readFileEnvironment(environment)
  const access = new Access({
    limit: config.failed_authentication_limit,
    now: options.clock.now,
    monotonic: options.clock.monotonic,
  })
  const secretIsGenerated = generated.has('GUI_SECRET')
  access.setSecret(config.secret, secretIsGenerated)
  const login = access.login()
  if (!login.possible) logger.warn({ reason: login.reason }, 'nobody can log in to the web interface')
  const stopping = new AbortController()
  const { signal } = stopping
  const page = await openPage(options.pageFolder)
  const edition = await startEdition(options, {
    environment,
    logger,
    version: options.version,
    openRecords: (file) => new RecordSource({ bus, subject: recordSubject(config), logger, file }),
    current: () => current,
    ownSecrets: () => [current.secret, ...[environment.NATS_TOKEN].flatMap((token) => token ?? [])],
    now: options.clock.now,
    signal,
  })
  const { source } = edition
  // `start` never rejects, and nothing here needs the bus.
  void source.start()
  const { ingress } = config.tls
  const server = await createServer({
    access,
    routes: [...edition.routes, ...transactionRoutes(source)],
    bytesRoutes: edition.bytesRoutes,
    ready: edition.ready,
    page,
    allowedHosts: new Set([options.hostName.toLowerCase(), ...config.allowed_hosts]),
    logger,
    version: options.version,
    edition: edition.name,
    certificate,
  })
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      access.endExpired()
      const next = signal.aborted ? undefined : await readConfigSilently(options)
      if (next !== undefined) {
        current = next
        access.setSecret(next.secret, secretIsGenerated)
      }
      const reading = await readIngressCertificate(ingress)
      // The former certificate stays in use while the files are not usable, as while they are written.
      if (reading.kind === 'read' && reading.certificate !== undefined) server.replaceCertificate(reading.certificate)
    }
  }
  // `follow` never rejects: a file that can't be read leaves the former values in use.
  void follow()
  let port = await listen(server, config.gui_port, logger)
  const noteListening = () => {
    if (port !== undefined) logger.info({ port, tls: ingress.enabled }, 'web interface initialized')
  }
  noteListening()
  const listenLater = async (): Promise<void> => {
    while (port === undefined && !signal.aborted) {
      await delay(PORT_RETRY_MS, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      port = await listen(server, config.gui_port, undefined)
      noteListening()
    }
  }
  // `listenLater` never rejects.
  void listenLater()
  return {
    get port() {
      return port
    },
    close: async () => {
      stopping.abort()
      page.close()
      await server.close()
      await Promise.all([edition.close(), source.close()])
    },
  }
}

/** Starts the edition that gui_config.json asks for: the file that the operator writes names an LLMGateway. */
async function startEdition({ file, places }: InterfaceOptions, dependencies: EditionDependencies): Promise<Edition> {
  const config = dependencies.current()
  const { kubernetes } = config
  // Only one edition is loaded: the other would take some 20 MB for nothing.
  if (kubernetes !== undefined) {
    const { kubernetesEdition } = await import('./kubernetes/kubernetes-edition.ts')
    return await kubernetesEdition(dependencies, kubernetes)
  }
  const { standaloneEdition } = await import('./standalone.ts')
  return await standaloneEdition({ ...dependencies, file, places }, config)
}

function recordSubject({ service_bus: { topic_exact_logger: subject } }: GuiConfig): string | undefined {
  return subject === '' ? undefined : subject
}

/** Reads gui_config.json without log lines: a half-written file is read again soon. */
async function readConfigSilently({ file, environment }: InterfaceOptions) {
  const silent = () => undefined
  return await readSettings(file, environment, {
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
    level: 'ERROR',
  })
}

async function listen(server: WebServer, port: number, logger: Logger | undefined): Promise<number | undefined> {
  try {
    return await server.listen(port)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'INTERNAL'
    logger?.warn({ port, code }, 'web interface port not available')
    return undefined
  }
}
