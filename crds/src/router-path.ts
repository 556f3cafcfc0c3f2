import { z } from 'zod'
import { cel, setList } from './primitives.ts'

/** The same paths as in gl_config.json (docs/reference/configuration-rules.md#routers-in-the-file). */
const ROUTER_PATH = /^\/$|^(\/[A-Za-z0-9_\-.~]+)+\/$/

/** RE2 has no look-ahead, so that a second rule says it. */
export const NO_DOT_SEGMENT = { rule: "!self.matches('/[.][.]?/')", message: 'may have no dot segment' }

/** The form of a router's path; its dot segments are judged by NO_DOT_SEGMENT. */
export function routerPath() {
  return z.string().min(1).max(256).regex(ROUTER_PATH)
}

/** Each path once. */
export function pathList(most: number) {
  return setList(routerPath(), most).meta(
    cel({ rule: "self.all(path, !path.matches('/[.][.]?/'))", message: 'no path may have a dot segment' }),
  )
}

/** A path, or `default`: every Router that no other entry names. */
export const pathOrDefault = z
  .string()
  .min(1)
  .max(256)
  .regex(/^default$|^\/$|^(\/[A-Za-z0-9_\-.~]+)+\/$/)
