import { jsonSchemas } from '@llm-gateway/conf/editor'
import { endpoints, type FileName } from '@llm-gateway/gui-api'
import { answered, failed, type Route, route } from './answer.ts'
import { type DeployDoors, deploy } from './files/deploy.ts'
import type { Desk } from './files/desk.ts'
import { listRouters } from './list-routers.ts'

export type RouteDoors = { readonly desk: Desk; readonly deploy: DeployDoors }

/** What edits the files. */
export function fileRoutes({ desk, deploy: doors }: RouteDoors): readonly Route[] {
  const schemas = jsonSchemas()
  return [
    route(endpoints.files, async () => answered({ files: [...(await desk.list())] })),
    route(endpoints.file, ({ parameters }) => desk.read(parameters.file)),
    route(endpoints.schema, async ({ parameters }) => {
      const schema = schemas.get(parameters.file.replace(/\.json$/, '.schema.json'))
      return schema === undefined
        ? failed('NOT_FOUND', 'This file has no schema: it is the bus’s own.')
        : answered(JSON.parse(schema))
    }),
    route(endpoints.saveDraft, ({ parameters, body, caller }) => desk.save(parameters.file, body, caller)),
    route(endpoints.discardDraft, ({ parameters, query }) => desk.discard(parameters.file, query.tag)),
    route(endpoints.check, ({ parameters, body }) => desk.check(parameters.file, body.text)),
    route(endpoints.deploy, ({ parameters, body, caller }) => {
      const order = { tag: body.tag, note: body.note, acceptRejected: body.accept_rejected, caller }
      return desk.change(parameters.file, (state) => deploy(state, order, doors))
    }),
    route(endpoints.archive, ({ parameters }) => desk.archived(parameters.file)),
    route(endpoints.archived, ({ parameters }) => desk.version(parameters.file, parameters.digest)),
    route(endpoints.restore, ({ parameters, body, caller }) =>
      desk.restore(parameters.file, parameters.digest, { tag: body.tag, caller }),
    ),
    route(endpoints.routers, async () => {
      const name: FileName = 'gl_config.json'
      const [state, status, surroundings] = await Promise.all([desk.state(name), doors.status(), doors.surroundings()])
      return state === undefined
        ? failed('NOT_FOUND', 'gui_config.json names no gl_config.json.')
        : answered(listRouters(state, status, surroundings))
    }),
  ]
}
