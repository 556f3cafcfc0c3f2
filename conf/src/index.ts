export { AUTHORITIES_LIMIT, excessAuthorities } from './authorities-limit.ts'
export { parseBusAddress } from './bus-address.ts'
export {
  checkGinitConfig,
  checkGuiConfig,
  checkSinkConfig,
  type FileCheck,
} from './check-file.ts'
export {
  type CheckedGlConfig,
  checkGlConfig,
  type GlConfigCheck,
  type ParsedGlConfig,
  parseGlConfig,
} from './check-gl-config.ts'
export { inactiveRouterSize } from './check-router.ts'
export { checkRouters, MAX_ROUTERS_SIZE } from './check-routers.ts'
export type { Environment, References } from './env-reference.ts'
export type { GinitConfig, GinitService } from './ginit-config.ts'
export type { GlSettings } from './gl-settings.ts'
export type { GuiConfig } from './gui-config.ts'
export type { Limits } from './limits.ts'
export { makeFolder } from './make-folder.ts'
export { MAX_MEMBERS, type ProcessorEntry } from './processor-entry.ts'
export { busEnvironment, isBus } from './program/bus-environment.ts'
export { type CommandLine, parseCommandLine } from './program/command-line.ts'
export { endProcess, exitProcess } from './program/end-process.ts'
export { type Command, findCommand, type ProgramFolders } from './program/find-command.ts'
export { createLogger, type Logger, type LogLevel } from './program/log.ts'
export { ConfError, type ConfErrorCode, type Delivery, readDelivery } from './read-delivery.ts'
export { readRegularFile } from './read-regular-file.ts'
export { readSmallFile } from './read-small-file.ts'
export type { ActiveRouter, CheckedRouter, InactiveRouter, RouterHeader } from './router-entry.ts'
export type { FieldPath, RejectedField } from './router-fields.ts'
export { shortName } from './short-name.ts'
export { rawPath } from './shown-path.ts'
export { hasTarget, type SinkConfig } from './sink-config.ts'
export type { ValidationErrors } from './validation-errors.ts'
