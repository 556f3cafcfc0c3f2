import { z } from 'zod'

/** An integer, or a string that is one once its reference is put in (`"gl_port": "${PORT}"`). */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(Number),
    ])
    .pipe(z.number().int().min(minimum).max(maximum))
}

export const positive = integer(1)
export const port = integer(0, 65535)
export const boolean = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
export const headerName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/)
export const logLevel = z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
export const version = z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/)
