import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../fake/free-port.ts'
import { GATEWAY_MAIN, startGatewayProcess } from '../fake/gateway-process.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { startProgram } from '../fake/program.ts'
import { pinnedTo, UNDER_TEST_CORE } from './bench-process.ts'
import { CHARACTER_COUNT_ROW } from './character-count.ts'
import type { TargetName } from './options.ts'

/** A running program between the load and the upstream. */
export type Target = {
  readonly name: TargetName
  readonly port: number
  /** The processes under test; none for `direct`. */
  readonly pids: readonly number[]
  /** True if every call must leave a record. */
  readonly records: boolean
  stop(): Promise<void>
}

export type TargetEnvironment = {
  readonly upstreamPort: number
  readonly nats: NatsServer
  /** Number of further routers, which get no calls. */
  readonly routers: number
  /** The folder for CPU profiles of the gateway. */
  readonly profile: string | undefined
  /** The checkout of `gateway-other`. */
  readonly other: string | undefined
}

/** The path of the gateway's router. The other targets pass this path on to the upstream. */
export const ROUTER_PATH = '/bench/'

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((file) => existsSync(file))

/** Starts a target on its core; undefined, with a reason on stderr, if this machine doesn't have it. */
export async function startTarget(name: TargetName, environment: TargetEnvironment): Promise<Target | undefined> {
  if (name === 'direct')
    return { name, port: environment.upstreamPort, pids: [], records: false, stop: async () => undefined }
  if (name === 'nginx' && NGINX === undefined) return absent(name, 'nginx is not installed')
  if (name.startsWith('gateway') && !existsSync(GATEWAY_MAIN)) return absent(name, 'gateway/src/main.ts does not exist')
  switch (name) {
    case 'nginx':
      return await startNginx(environment)
    case 'floor':
    case 'reply-from':
      return await startScript(name, name === 'floor' ? 'floor.cjs' : 'reply-from.ts', environment)
    case 'gateway-off':
    case 'gateway-on':
    case 'gateway-kept':
    case 'gateway-journal':
    case 'gateway-sync':
    case 'gateway-other':
      return await startGateway(name, environment)
    default:
      return name satisfies never
  }
}

function absent(name: TargetName, reason: string): undefined {
  process.stderr.write(`${name}: left out, ${reason}\n`)
}

async function startScript(name: TargetName, file: string, environment: TargetEnvironment): Promise<Target> {
  const port = await freePort()
  const upstream = `http://127.0.0.1:${environment.upstreamPort}`
  const script = join(import.meta.dirname, file)
  return await startProxy(name, port, [process.execPath, script, String(port), upstream])
}

async function startNginx(environment: TargetEnvironment): Promise<Target> {
  const port = await freePort()
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-nginx-'))
  const file = join(directory, 'nginx.conf')
  await writeFile(file, nginxConfiguration(port, environment.upstreamPort, directory))
  const line = [NGINX ?? 'nginx', '-p', directory, '-e', 'stderr', '-c', file]
  return await startProxy('nginx', port, line, () => rm(directory, { recursive: true, force: true }))
}

function nginxConfiguration(port: number, upstreamPort: number, directory: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 2m;
  ${places.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  upstream llm { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://llm; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_read_timeout 60s; proxy_buffering off; }
  }
}
`
}

async function startProxy(
  name: TargetName,
  port: number,
  line: readonly string[],
  cleanUp: () => Promise<void> = async () => undefined,
): Promise<Target> {
  const [command = '', ...args] = [...pinnedTo(UNDER_TEST_CORE), ...line]
  const program = await startProgram({ command, args, environment: { NODE_ENV: 'production' } })
  const stop = async (): Promise<void> => {
    await program.stop(2_000)
    await cleanUp()
  }
  try {
    await untilListening(port)
  } catch (error) {
    await stop()
    throw new Error(`${name}: ${program.lines.entries.slice(-5).join('\n')}`, { cause: error })
  }
  return { name, port, pids: [program.pid], records: false, stop }
}

async function startGateway(name: TargetName, environment: TargetEnvironment): Promise<Target> {
  const off = name === 'gateway-off'
  const gateway = await startGatewayProcess({
    config: {
      routers: [router(ROUTER_PATH, environment.upstreamPort), ...spareRouters(environment)],
      request: { processors: name === 'gateway-sync' ? [[CHARACTER_COUNT_ROW]] : [] },
      record: {
        stream: name === 'gateway-kept' || name === 'gateway-journal' ? 'on' : 'off',
        durability: name === 'gateway-journal' ? 'journal' : 'outage',
      },
      // Without a logger subject no record is made.
      ...(off ? { service_bus: { topic_exact_logger: '' } } : {}),
    },
    env: { NODE_ENV: 'production' },
    ...(off ? {} : { nats: environment.nats }),
    wrap: pinnedTo(UNDER_TEST_CORE),
    ...(name === 'gateway-other' ? { checkout: environment.other } : {}),
    nodeArguments:
      environment.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(environment.profile)}`],
  })
  return { name, port: gateway.port, pids: [gateway.pid], records: !off, stop: gateway.close }
}

function router(path: string, upstreamPort: number): object {
  return {
    path,
    ingress: { headers: { 'Content-Type': ['application/json'] } },
    outbound: {
      url: `http://127.0.0.1:${upstreamPort}`,
      endpoint: '',
      headers: { 'Content-Type': ['application/json'], Authorization: ['Bearer upstream-key'] },
    },
  }
}

function spareRouters({ routers, upstreamPort }: TargetEnvironment): readonly object[] {
  return Array.from({ length: routers }, (_, index) => router(`/spare/${index}/`, upstreamPort))
}

async function untilListening(port: number, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
    if (open) return
    if (performance.now() > end) throw new Error(`nothing listens on ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
