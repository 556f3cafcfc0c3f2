import { jsonSchemas } from '@llm-gateway/conf/editor'
import { endpoints, type FileName } from '@llm-gateway/gui-api'
import { answered, failed, type Route, route } from './answer.ts'
import { type DeployDependencies, deploy } from './files/deploy.ts'
import type { FileStore } from './files/file-store.ts'
import { listRouters } from './list-routers.ts'
import type { GatewayStatus } from './live/gateway-client.ts'

export type RouteDependencies = {
  readonly files: FileStore
  readonly deploy: DeployDependencies
  /** Asks the gateway for the states of its routers. */
  readonly routerStatus: () => Promise<GatewayStatus>
}

/** Returns the routes that read and edit the files. */
export function fileRoutes({ files, deploy: dependencies, routerStatus }: RouteDependencies): readonly Route[] {
  const schemas = jsonSchemas()
  return [
    route(endpoints.files, async () => answered({ files: [...(await files.list())] })),
    route(endpoints.file, ({ parameters }) => files.read(parameters.file)),
    route(endpoints.schema, async ({ parameters }) => {
      const schema = schemas.get(parameters.file.replace(/\.json$/, '.schema.json'))
      return schema === undefined
        ? failed('NOT_FOUND', 'This file has no schema, because its format is the bus’s own.')
        : answered(JSON.parse(schema))
    }),
    route(endpoints.saveDraft, ({ parameters, body, caller }) => files.save(parameters.file, body, caller)),
    route(endpoints.discardDraft, ({ parameters, query }) => files.discard(parameters.file, query.tag)),
    route(endpoints.check, ({ parameters, body }) => files.check(parameters.file, body.text)),
    route(endpoints.deploy, ({ parameters, body, caller }) => {
      const order = { tag: body.tag, note: body.note, acceptRejected: body.accept_rejected, caller }
      return files.change(parameters.file, (state) => deploy(state, order, dependencies))
    }),
    route(endpoints.archive, ({ parameters }) => files.archived(parameters.file)),
    route(endpoints.archived, ({ parameters }) => files.version(parameters.file, parameters.digest)),
    route(endpoints.restore, ({ parameters, body, caller }) =>
      files.restore(parameters.file, parameters.digest, { tag: body.tag, caller }),
    ),
    route(endpoints.routers, async () => {
      const name: FileName = 'gl_config.json'
      const [state, status, fileEnvironment] = await Promise.all([
        files.state(name),
        routerStatus(),
        dependencies.fileEnvironment(),
      ])
      return state === undefined
        ? failed('NOT_FOUND', 'gui_config.json names no gl_config.json.')
        : answered(listRouters(state, status, fileEnvironment))
    }),
  ]
}
