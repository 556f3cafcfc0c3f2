import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandOptions, runCommand } from '../setup/run-command.ts'
import { NODE_ADDRESS } from './node-plan.ts'

/** The kubelet sets these for the whole machine, which the test must prevent. */
const TUNABLES = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
]
/** Folders into which a node's programs write: sockets, CNI's results, links to logs, plugins. */
const WRITTEN = ['/run', '/var/lib', '/var/log', '/opt', '/usr/libexec']

/**
 * Makes the namespaces of this process (mount, network, processes) look like a separate machine: writes to system
 * folders end up below `folder`. Returns containerd's snapshotter: overlayfs where the kernel supports it in this
 * place.
 */
export async function makeOwnMachine(folder: string): Promise<'overlayfs' | 'native'> {
  // Containers may ask for shared mounts, which must not leave our namespace.
  await runOrThrow('mount', ['--make-rshared', '/'])
  const layered = await isLayerable(folder)
  for (const path of WRITTEN)
    if (existsSync(path) && layered && !folder.startsWith(`${path}/`))
      await mountOverlay(path, join(folder, 'machine', path))
  for (const name of TUNABLES) await replaceTunable(name, join(folder, 'machine/sys', name))
  await makeNetwork()
  return layered ? 'overlayfs' : 'native'
}

/** Makes a network without a way out, with an address and a default route for the node. */
async function makeNetwork(): Promise<void> {
  const commands = [
    'link set lo up',
    // A pair of virtual devices, since not every kernel has dummy devices.
    'link add eth0 type veth peer name eth0-end',
    'link set eth0-end up',
    `address add ${NODE_ADDRESS}/24 dev eth0`,
    'link set eth0 up',
    'route add default dev eth0',
  ]
  for (const command of commands) await runOrThrow('ip', command.split(' '))
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
}

async function isLayerable(folder: string): Promise<boolean> {
  const lower = join(folder, 'machine/try-lower')
  mkdirSync(lower, { recursive: true })
  return (await overlay(lower, join(folder, 'machine/try'), join(folder, 'machine/try-layer'))).ok
}

async function mountOverlay(path: string, layer: string): Promise<void> {
  const { ok, output } = await overlay(path, path, layer)
  if (!ok) throw new Error(`the overlay over ${path} can't be mounted: ${output}`)
}

function overlay(lower: string, target: string, layer: string) {
  const [upper, work] = [join(layer, 'upper'), join(layer, 'work')]
  for (const made of [upper, work, target]) mkdirSync(made, { recursive: true })
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
  return runCommand('mount', ['-t', 'overlay', 'overlay', '-o', options, target])
}

async function replaceTunable(name: string, file: string): Promise<void> {
  const real = join('/proc/sys', name)
  if (!existsSync(real)) return
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, readFileSync(real))
  await runOrThrow('mount', ['--bind', file, real])
}

/** Runs a program to its end; rejects with its output when it fails. */
export async function runOrThrow(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { ok, output } = await runCommand(command, args, options)
  if (!ok) throw new Error(`${command} ${args.slice(0, 4).join(' ')}: ${output}`)
  return output
}
