import { z } from 'zod'
import { cel, setList } from './primitives.ts'

/** The same paths as in gl_config.json (docs/reference/configuration-rules.md#routers-in-the-file). */
const ROUTER_PATH = /^\/$|^(\/[A-Za-z0-9_\-.~]+)+\/$/

/** RE2 has no look-ahead, so a second rule refuses dot segments. */
export const NO_DOT_SEGMENT = { rule: "!self.matches('/[.][.]?/')", message: 'may have no dot segment' }

/** Makes the form of a router's path. NO_DOT_SEGMENT judges its dot segments. */
export function routerPath() {
  return z.string().min(1).max(256).regex(ROUTER_PATH)
}

/** Makes a list in which each path stands once. */
export function pathList(most: number) {
  return setList(routerPath(), most).meta(
    cel({ rule: "self.all(path, !path.matches('/[.][.]?/'))", message: 'no path may have a dot segment' }),
  )
}

/** A path, or `default` for every Router without an entry of its own. */
export const pathOrDefault = z
  .string()
  .min(1)
  .max(256)
  .regex(/^default$|^\/$|^(\/[A-Za-z0-9_\-.~]+)+\/$/)
