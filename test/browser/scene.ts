import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startAllInOne } from '@llm-gateway/test/fake/all-in-one'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startLlm } from '@llm-gateway/test/fake/llm'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { buildPage } from '../../tools/gui/build-page.ts'
import { startBrowser } from './chromium.ts'
import { startTrafficScan, type TrafficScan } from './traffic-scan.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Not tracked by git. */
const PICTURES = join(ROOT, '.run/pictures/gui')
const WIDE = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }
/** The least timeout of a wait. */
const WAIT_MS = 60_000
const LOOK_MS = 50

/** Values that must never reach a browser. */
export const SECRETS = {
  GUI_SECRET: 'gui-secret-4711-browser',
  NATS_TOKEN: 'nats-token-0815-browser',
  AISERVICE_API_KEY: 'aiservice-key-2b2b-browser',
  GATEWAY_API_KEY: 'gateway-key-4c4c-browser',
} as const
/** A router's key that is written in a file, not in the environment. */
const LITERAL_KEY = 'literal-key-6d6d-browser'
const LITERAL_ROUTER = {
  path: '/literal/',
  outbound: { url: 'https://localhost', headers: { 'Api-Key': [LITERAL_KEY] } },
}

export type Scene = {
  /** The web interface's URL. */
  readonly url: string
  /** The gateway's URL. */
  readonly gateway: string
  /** The password of the web interface. */
  readonly secret: string
  /** Returns the text of a live file. */
  live(name: string): string
  /** Changes a live file, as a person on the machine would. */
  editLive(name: string, change: (text: string) => string): void
  /** Opens a page of its own. The traffic and the errors of all pages are judged at the end. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** Returns the process id of a service's newest start. */
  pid(service: string): number
  /** Throws if a page had problems or a secret was sent. */
  close(): Promise<void>
}

/** Returns a scene for the tests of a file, or the reason to skip them. In CI no test is skipped. */
export async function sceneForTests(
  environment: NodeJS.ProcessEnv,
  secrets: Readonly<Record<string, string>> = SECRETS,
): Promise<{ readonly scene: Scene; readonly skip: string | false }> {
  const scene = await startScene(environment, secrets)
  if (typeof scene !== 'string') return { scene, skip: false }
  if ((environment.CI ?? '') !== '') throw new Error(`no browser: ${scene}`)
  const none = () => Promise.reject(new Error(scene))
  return {
    skip: scene,
    scene: {
      url: '',
      gateway: '',
      secret: '',
      live: () => '',
      editLive: () => undefined,
      open: none,
      pid: () => 0,
      close: async () => undefined,
    },
  }
}

/** Starts the all-in-one on free ports and a real browser; returns a text with the reason if that is impossible. */
async function startScene(
  environment: NodeJS.ProcessEnv,
  secrets: Readonly<Record<string, string>>,
): Promise<Scene | string> {
  const outputLines: string[] = []
  if (!(await buildPage({ root: ROOT, environment, say: (line) => outputLines.push(line) })))
    return outputLines.join('\n')
  const browser = await startBrowser(environment)
  if (typeof browser === 'string') return browser
  const llm = await startLlm()
  const port = await freePort()
  const edit = (name: string, text: string): string => {
    if (name === 'gui_config.json') return text.replace('"gui_port": 8080', `"gui_port": ${port}`)
    if (name !== 'gl_config.json') return text
    const { routers, ...rest } = JSON.parse(text)
    return JSON.stringify({ ...rest, routers: [...routers, LITERAL_ROUTER] }, undefined, 2)
  }
  let folder = ''
  const prepare = async (place: string): Promise<void> => {
    folder = place
  }
  const services = await startAllInOne(llm.url, {
    edit,
    prepare,
    environment: { ...secrets, PATH: environment.PATH ?? '' },
  })
  await waitForAnswer(`http://127.0.0.1:${port}/login`)
  const seen = createProblemWatch()
  const scan = await startTrafficScan(port, { ...SECRETS, LITERAL_KEY })
  return {
    url: `http://127.0.0.1:${scan.port}`,
    gateway: services.url,
    secret: SECRETS.GUI_SECRET,
    live: (name) => readFileSync(join(folder, name), 'utf8'),
    editLive: (name, change) => {
      const file = join(folder, name)
      writeFileSync(file, change(readFileSync(file, 'utf8')))
    },
    open: (options = {}) => seen.open(browser, options),
    pid: (service) => services.pids(service).at(-1) ?? 0,
    close: async () => {
      await browser.close()
      await scan.close()
      await services.close()
      await llm.close()
      seen.judge()
      assertNoSecretInTraffic(scan)
    },
  }
}

/** Waits until the web interface answers; the supervisor doesn't wait for it. */
export async function waitForAnswer(url: string): Promise<void> {
  const end = Date.now() + WAIT_MS
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    if (Date.now() > end) throw new Error(`nothing answers at ${url}`)
    await pause(LOOK_MS)
  }
}

export function assertNoSecretInTraffic(scan: TrafficScan): void {
  const { names, bytes } = scan.found()
  if (bytes === 0) throw new Error('no traffic passed through the scan')
  if (names.length > 0) throw new Error(`these secrets reached a browser: ${names.join(', ')}`)
}

/** Collects the problems that pages report. */
export function createProblemWatch() {
  const problems: string[] = []
  return {
    open: async (browser: Browser, options: BrowserContextOptions): Promise<Page> => {
      const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', ...options })
      context.setDefaultTimeout(WAIT_MS)
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          const { violatedDirective, sourceFile, lineNumber, columnNumber } = event
          // Chromium itself styles text that it deletes in an editor, against the policy, until the editor redraws.
          if (violatedDirective === 'style-src-attr' && sourceFile === '') return
          console.error(`${violatedDirective} is broken by ${sourceFile}:${lineNumber}:${columnNumber}`)
        })
      })
      const page = await context.newPage()
      page.on('console', (message) => {
        // Tests check failed requests themselves, and the script above reports violations of the policy.
        if (message.type() === 'error' && !/Failed to load resource|Content Security Policy/.test(message.text()))
          problems.push(`${page.url()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
      page.on('dialog', (dialog) => {
        problems.push(`a dialog of the page: ${dialog.message()}`)
        void dialog.dismiss()
      })
      return page
    },
    judge: () => {
      if (problems.length > 0) throw new Error(`the pages had problems:\n${problems.join('\n')}`)
    },
  }
}

/** Logs in through the visible form. */
export async function logIn(page: Page, url: string, name = 'Ada'): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByLabel('Password').fill(SECRETS.GUI_SECRET)
  await page.getByLabel('Your name (optional)').fill(name)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Deploys the draft on the page Changes. */
export async function deploy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByText('Live', { exact: true }).waitFor()
}

/** Saves a picture of the whole page or of the visible part, for people. */
export async function saveScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage })
}
