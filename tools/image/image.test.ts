import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { minimalGlConfig } from '@llm-gateway/test/fake/gateway-file'
import { type Program, waitForLine } from '@llm-gateway/test/fake/program'
import { collectRecords } from '@llm-gateway/test/fake/records'
import { BUILD_FILES, BUNDLED_WORKSPACES, BUNDLES, PACKAGES, TOP_FILES } from './contents.ts'
import { readPins } from './debian/pinned-package.ts'
import { buildArchive } from './image-under-test.ts'
import { platformOf } from './parts/platform.ts'
import { productionPackages } from './production-packages.ts'
import { type ImageRoot, type RunOptions, unpackImage, whyNoRoot } from './root-under-test.ts'

const checkout = join(import.meta.dirname, '../..')
const skip = whyNoRoot() ?? false
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
const programs = [
  ...PACKAGES.map((folder) => `${folder}/src/main.ts`).filter((path) => existsSync(join(checkout, path))),
  ...BUNDLES.map(({ path }) => path),
]

const TOKENIZER = {
  name: 'tokenizer',
  service_bus_topic: 'llm.gl.tokenizer',
  timeout: 60_000,
  required: true,
  input_fields_include: ['ingress_payload', 'gl_path'],
  output_fields_write: ['tokenizer'],
} as const

suite('the image', { skip: process.platform !== 'linux' && 'it is built on Linux' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-image-'))
  const archive = join(folder, 'image.tar')
  let output = ''
  let image: ImageRoot
  before(() => {
    output = buildArchive(checkout, archive)
    image = unpackImage(archive, folder)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('two builds give the same digest and archive, independent of folder, times and other files', () => {
    const second = secondCheckout(join(folder, 'second'))
    const archiveOfSecond = join(folder, 'second.tar')
    const digest = /sha256:[0-9a-f]{64}/.exec(output)?.[0]
    assert.ok(digest !== undefined)
    assert.ok(buildArchive(second, archiveOfSecond).includes(digest))
    assert.ok(readFileSync(archiveOfSecond).equals(readFileSync(archive)))
  })

  test('the build prints the size of each layer, and the image is below 160 MB', () => {
    for (const name of ['base', 'nats-server', 'dependencies', 'app'])
      assert.match(output, new RegExp(`^${name} `, 'm'))
    assert.ok(Number(/^all .* (\S+)$/m.exec(output)?.[1]) < 160)
  })

  test('no test, development dependency, document, secret or source of a dependency is inside', () => {
    const lock: Readonly<Record<string, { readonly dev?: boolean }>> = JSON.parse(
      readFileSync(join(checkout, 'package-lock.json'), 'utf8'),
    ).packages
    const development = Object.keys(lock).filter((path) => lock[path]?.dev === true)
    assert.ok(development.length > 10 && image.paths.length > 300, 'the lists to compare are not empty')
    for (const path of development) assert.ok(!image.paths.includes(`app/${path}/`), path)
    const unwanted =
      /\.test\.ts$|under-test|\/(fixture|testdata)\/|(?<!licen[sc]e)\.md$|\.map$|\.env|\.git|\.key$|\.pem$|\.npmrc|^app\/(test|tools)\/|^app\/node_modules\/.*\.ts$|\/src\/(?!(main|index|dead-letters|program\/processor-port|program\/value-settings|thread|bus-liveness)\.ts$).*\.ts$/i
    assert.deepEqual(
      image.paths.filter((path) => unwanted.test(path)),
      [],
    )
  })

  test('no path of the machine that built it is inside', () => {
    const found = grep(['-rlaF', checkout, image.folder])
    assert.equal(found, '')
    assert.notEqual(grep(['-rlaF', '/app/conf', join(checkout, 'tools/image')]), '', 'grep finds a text that is there')
  })

  test('second copies of the configuration files lie where a share mounted at /app/conf does not hide them', () => {
    for (const name of ['gl_config.json', 'nats-server.conf', 'with/azure/nats2log_config.json'])
      assert.ok(image.paths.includes(`app/shipped/${name}`), name)
    assert.ok(!image.paths.includes('app/shipped/package.json'))
  })

  test("scanners find the release and Debian's packages, and the files equal the packaged files", () => {
    const release = readFileSync(join(image.folder, 'etc/os-release'), 'utf8')
    assert.match(release, /^ID=debian$/m)
    const database = join(image.folder, 'var/lib/dpkg')
    const output = execFileSync('dpkg-query', [
      `--admindir=${database}`,
      '-W',
      '-f',
      '${Package} ${Version} ${db:Status-Status}\n',
    ])
    const wanted = (readPins(checkout)[platformOf(process.arch)?.architecture ?? ''] ?? []).map(
      ({ name, version }) => `${name} ${version} installed`,
    )
    assert.deepEqual(output.toString().trim().split('\n').toSorted(), wanted.toSorted())
    const verified = execFileSync('dpkg', [`--root=${image.folder}`, '--verify'], { encoding: 'utf8' })
    assert.equal(verified, '')
    const sums = readFileSync(join(database, 'info/base-files.md5sums'), 'utf8')
    assert.match(sums, /usr\/lib\/os-release/)
  })

  test('all files belong to root, and the image’s user can write only to /tmp', () => {
    const loose = execFileSync('find', [image.folder, '-mindepth', '1', '!', '-type', 'l', '-perm', '/7022'])
    assert.equal(loose.toString().trim(), join(image.folder, 'tmp'))
  })

  test('every program starts, as user 65532 with a root that is read-only', { skip }, async () => {
    const results = await Promise.all(
      programs.map(async (path) => ({ path, ...(await runToEnd(await image.start([`/app/${path}`, '--version']))) })),
    )
    assert.deepEqual(
      results,
      programs.map((path) => ({ path, code: 0, lines: [version] })),
    )
    const probe =
      "console.log(process.getuid(), process.getgid(), process.getgroups().join(), process.cwd()); fs.writeFileSync('/app/x', '')"
    const { lines, code } = await runToEnd(await image.start(['-e', probe]))
    assert.equal(lines[0], '65532 65532 65532 /app')
    assert.ok(code !== 0 && lines.some((line) => line.includes('EROFS')), lines.join('\n'))
  })

  test('every module that the programs import is inside', { skip }, async () => {
    const configuration = join(folder, 'imports')
    mkdirSync(configuration)
    copyFileSync(
      fileURLToPath(import.meta.resolve('./unresolved-imports-under-test.ts')),
      join(configuration, 'main.ts'),
    )
    const args = ['--experimental-import-meta-resolve', '/etc/llm-gateway/main.ts']
    const { lines } = await runToEnd(await image.start(args, { configuration }))
    assert.deepEqual(
      lines.filter((line) => line.startsWith('unresolved')),
      [],
    )
    assert.ok(Number(lines.at(-1)?.replace('seen: ', '')) > 100, lines.at(-1))
  })

  test('the image resolves names and has CA certificates', { skip }, async () => {
    const probe = `require('dns').lookup('localhost', (error, address) => console.log(error?.code ?? address))
      console.log(require('tls').getCACertificates('system').length > 50)`
    const { lines } = await runToEnd(await image.start(['-e', probe]))
    assert.deepEqual(lines.toSorted(), ['127.0.0.1', 'true'])
  })

  test('bus, gateway and a processor with a worker serve a call', { skip, timeout: 400_000 }, async () => {
    const [busPort, port] = [await freePort(), await freePort()]
    const bus = { address: `127.0.0.1:${busPort}`, token: 'test-token' }
    const configuration = join(folder, 'configuration')
    mkdirSync(configuration)
    const write = (name: string, content: object) => writeFileSync(join(configuration, name), JSON.stringify(content))
    write('gl_config.json', {
      ...minimalGlConfig(bus),
      gl_port: port,
      request: { processors: [[TOKENIZER]] },
    })
    const options: RunOptions = { configuration, environment: { NATS_TOKEN: bus.token, GATEWAY_HOST: bus.address } }
    const natsArgs = ['-a', '127.0.0.1', '-p', String(busPort), '--auth', bus.token]
    await using natsServer = await image.start(natsArgs, { entrypoint: ['/usr/bin/nats-server'] })
    await waitForLine(natsServer, /Server is ready/)
    await using records = await collectRecords(bus)
    await using gateway = await image.start(
      ['/app/gateway/src/main.ts', '-o', '/etc/llm-gateway/gl_config.json'],
      options,
    )
    await waitForLine(gateway, /http\(s\) server initialized/)
    await using tokenizer = await image.start(['/app/processors/tokenizer/src/main.ts'], options)
    await waitForLine(tokenizer, /processor initialized/)
    const answer = await fetch(`http://127.0.0.1:${port}/echo/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"messages":[{"role":"user","content":"hello"}]}',
    })
    assert.equal(answer.status, 200)
    await answer.arrayBuffer()
    const [record] = await records.waitForCount(1, { timeoutMs: 60_000 })
    assert.equal(record?.field('request.tokenizer.gpt2'), 1)
    assert.deepEqual(
      gateway.lines.entries.filter((line) => !line.startsWith('{')),
      [],
    )
    assert.equal((await gateway.stop(60_000)).code, 0)
  })
})

/** Packages that `npm ci` installs for the operator's bundle. */
const BUNDLER = [
  'node_modules/esbuild',
  'node_modules/@esbuild',
  'node_modules/@llm-gateway',
  'node_modules/yaml',
  'node_modules/@kubernetes',
]

/**
 * Makes a new checkout of the files that the Dockerfile copies, with additional files that must not change the image.
 */
function secondCheckout(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'))
  const folders = [
    ...PACKAGES,
    ...TOP_FILES,
    ...BUILD_FILES,
    ...BUNDLED_WORKSPACES,
    ...BUNDLER,
    ...productionPackages(packages),
  ]
  for (const path of folders.toSorted()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(checkout, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  }
  // The results of the setup and of the first build.
  symlinkSync(join(checkout, '.tools'), join(folder, '.tools'))
  for (const path of ['.env', 'conf/.env', 'gateway/src/x.test.ts', 'gateway/src/.env', 'node_modules/zod/README.md'])
    writeFileSync(join(folder, path), 'SECRET=1')
  chmodSync(join(folder, 'LICENSE'), 0o600)
  return folder
}

async function runToEnd(program: Program) {
  const { code } = await program.exited
  await new Promise((resolve) => setImmediate(resolve))
  return { code, lines: program.lines.entries }
}

/** Returns grep's output; empty without a match. */
function grep(args: readonly string[]): string {
  return execFileSync('sh', ['-c', 'grep "$@" || test $? = 1', 'grep', ...args], { encoding: 'utf8' }).trim()
}
