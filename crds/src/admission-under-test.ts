import { request } from 'node:https'
import { type ApiServer, startApiServer } from '@llm-gateway/test/fake/api-server'
import { installCrds } from '@llm-gateway/test/fake/install-crds'
import { API_VERSION, GROUP, VERSION } from './group.ts'

/** The API server's answer: its message without "<kind> "<name>" is invalid: ", or "" if it accepted the object. */
export type Verdict = string

export type Admission = {
  readonly server: ApiServer
  /** Runs kubectl as administrator; rejects with its errors. */
  kubectl(args: readonly string[], input?: object): Promise<string>
  /** Judges an object under strict field validation and keeps nothing. `was` is the object's previous spec. */
  judge(object: Candidate, was?: object): Promise<Verdict>
  /** Returns the object with the API server's defaults, and keeps nothing; undefined: it is refused. */
  take(object: Candidate): Promise<Taken | undefined>
  close(): Promise<void>
}

export type Taken = { readonly spec: unknown }
export type Candidate = { readonly kind: string; readonly plural: string; readonly name: string; readonly spec: object }

/** Starts a real API server with the CRDs as they are shipped. */
export async function startAdmission(): Promise<Admission> {
  const server = await startApiServer()
  const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args, input === undefined ? undefined : JSON.stringify(input))
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  try {
    await installCrds(server)
  } catch (error) {
    await server.close()
    throw error
  }
  return {
    server,
    kubectl,
    judge: async ({ kind, plural, name, spec }, was) => {
      const collection = `/apis/${GROUP}/${VERSION}/namespaces/default/${plural}`
      const object = (spec: object, metadata: object) => ({ apiVersion: API_VERSION, kind, metadata, spec })
      if (was === undefined) {
        return verdictOf(await send(server, 'POST', `${collection}?${STRICT}&${DRY}`, object(spec, { name })))
      }
      const created = await send(server, 'POST', `${collection}?${STRICT}`, object(was, { name }))
      const { resourceVersion } = created.metadata
      const edited = object(spec, { name, resourceVersion })
      const verdict = verdictOf(await send(server, 'PUT', `${collection}/${name}?${STRICT}&${DRY}`, edited))
      await send(server, 'DELETE', `${collection}/${name}`, {})
      return verdict
    },
    take: async ({ kind, plural, name, spec }) => {
      const path = `/apis/${GROUP}/${VERSION}/namespaces/default/${plural}?${STRICT}&${DRY}`
      const answer = await send(server, 'POST', path, { apiVersion: API_VERSION, kind, metadata: { name }, spec })
      return answer.kind === kind ? answer : undefined
    },
    close: () => server.close(),
  }
}

const STRICT = 'fieldValidation=Strict'
const DRY = 'dryRun=All'

type Answer = ReturnType<typeof JSON.parse>

function verdictOf({ kind, message }: Answer): Verdict {
  return kind === 'Status' ? message.replace(/^\S+ "[^"]*" is invalid: /, '') : ''
}

function send({ url, token, authority }: ApiServer, method: string, path: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    // The length is set, since Node.js doesn't frame the body of a DELETE.
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const sent = request(new URL(path, url), { method, headers, ca: authority }, async (response) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      } catch (error) {
        reject(error)
      }
    })
    sent.once('error', reject)
    sent.end(text)
  })
}
