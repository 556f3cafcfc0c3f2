import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { Archive } from './archive.ts'
import { deploy } from './deploy.ts'
import { DraftStore } from './draft-store.ts'
import { FileStore } from './file-store.ts'
import { fileText } from './file-text.ts'
import type { KnownFile } from './known-files.ts'

// Rules: docs/reference/web-api.md#get-apiv1filesfilearchive

const NAME = 'nats-server.conf'
const [BEFORE, DRAFT, FOREIGN] = ['port: 4222\n', 'port: 4223\n', 'port: 4224\n']

/** Deploys a draft; `during` is a shell command that runs while the draft is checked, in the folder of the live file. */
async function deployed(folder: string, during: string) {
  const live = join(folder, 'conf', NAME)
  const file: KnownFile = {
    name: NAME,
    kind: 'nats',
    live,
    service: 'nats-server',
    takesEffect: 'by_hand',
    judge: () => ({ program: '/bin/sh', args: ['-c', `cd "${folder}/conf" && ${during}`] }),
  }
  const archive = new Archive(join(folder, 'archive'))
  const drafts = new DraftStore(join(folder, 'drafts'))
  const fileEnvironment = async () => ({ references: { environment: {} }, generated: new Set<string>() })
  const now = () => Date.now()
  const files = new FileStore({ files: new Map([[NAME, file]]), drafts, archive, fileEnvironment, now })
  const caller = { name: 'ann', ended: new AbortController().signal }
  const draft = fileText(DRAFT)
  await drafts.write(NAME, { draft, base: fileText(BEFORE), savedAt: new Date().toISOString(), savedBy: 'ann' })
  const answer = await files.change(NAME, (state) =>
    deploy(
      state,
      { tag: draft.digest, note: '', acceptRejected: false, caller },
      {
        archive,
        drafts,
        folder: join(folder, 'checks'),
        environment: process.env,
        fileEnvironment,
        status: () => Promise.reject(new Error('not asked')),
        restarted: async () => undefined,
        now,
        wait: async () => undefined,
      },
    ),
  )
  const lines = (await archive.list(NAME)).map(({ origin, digest }) => [origin, digest])
  return { outcome: answer.kind === 'failed' ? answer.code : answer.kind, lines, text: await readFile(live, 'utf8') }
}

const CASES = [
  ['that nothing disturbs', 'true', 'answered', DRAFT],
  ['during which the live file changes', `printf '${FOREIGN.trim()}\\n' > ${NAME}`, 'CONFLICT', FOREIGN],
] as const

for (const [what, during, outcome, text] of CASES) {
  test(`a deploy ${what} ends with ${outcome}, and only a text that went live counts as deployed`, async () => {
    await using folder = await temporaryFolder()
    const conf = join(folder.path, 'conf')
    await mkdir(conf)
    await writeFile(join(conf, NAME), BEFORE)
    const found = await deployed(folder.path, during)
    assert.deepEqual([found.outcome, found.text], [outcome, text])
    const wentLive = outcome === 'answered' ? [['deployed', fileText(DRAFT).digest]] : []
    assert.deepEqual(found.lines, [...wentLive, ['found', fileText(BEFORE).digest]])
  })
}

test('a deploy whose copy for the check cannot be written is NOT_WRITABLE, and the live file stays', async () => {
  await using folder = await temporaryFolder()
  const conf = join(folder.path, 'conf')
  await mkdir(conf)
  await writeFile(join(conf, NAME), BEFORE)
  // No folder can be made in place of a file, by root neither.
  await writeFile(join(folder.path, 'checks'), '')
  assert.deepEqual(await deployed(folder.path, 'true'), { outcome: 'NOT_WRITABLE', lines: [], text: BEFORE })
})

test('a deploy that went live is answered although its draft cannot be removed', async () => {
  await using folder = await temporaryFolder()
  const conf = join(folder.path, 'conf')
  await mkdir(conf)
  await writeFile(join(conf, NAME), BEFORE)
  const draft = `"${folder.path}/drafts/${NAME}.draft.json"`
  const found = await deployed(folder.path, `rm ${draft} && mkdir ${draft}`)
  assert.deepEqual([found.outcome, found.text], ['answered', DRAFT])
})
