import { type Answer, answerAttack } from '../answer-attack.ts'
import { answerTogether } from '../answer-together.ts'
import type { Attack, AttackTools } from '../attack.ts'
import { KIB, longString, MIB, namedChat, repeatText, SMALL_ANSWER, wholeAnswer } from '../bodies.ts'

const GUARDED = 'a record that can not be made is replaced by a smaller record, and the gateway survives'
const STEPS = 'a text is encoded for its record in bounded steps'

const ANSWERED: readonly Answer[] = [
  {
    name: '46 MiB of NUL as text',
    rule: STEPS,
    type: 'text/plain',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '46 MiB of NUL as text under a processor of all fields',
    rule: GUARDED,
    type: 'text/plain',
    router: '/watched/',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '46 MiB of NUL as JSON under a processor of all fields',
    rule: GUARDED,
    router: '/watched/',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '31 MiB of quotes as text',
    rule: STEPS,
    type: 'text/plain',
    body: ({ sized }) => repeatText(sized(31 * MIB), '"'),
  },
  {
    name: '60 MiB of text',
    rule: STEPS,
    type: 'text/plain',
    body: ({ sized }) => repeatText(sized(60 * MIB), 'lorem ipsum '),
  },
  {
    name: '40 MiB of text beyond Latin 1',
    rule: STEPS,
    type: 'text/plain; charset=utf-8',
    body: ({ sized }) => repeatText(sized(40 * MIB), '価格🙂'),
  },
  {
    name: '46 MiB that are not UTF-8 as audio',
    rule: STEPS,
    type: 'audio/mpeg',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB), 0xff),
  },
  {
    name: 'four answers of 46 MiB of NUL at once',
    rule: GUARDED,
    type: 'text/plain',
    calls: 4,
    long: true,
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '46 MiB of NUL as text, bus away',
    rule: GUARDED,
    gateway: 'no bus',
    type: 'text/plain',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '46 MiB of NUL as a stream, bus away',
    rule: GUARDED,
    gateway: 'no bus',
    type: 'text/event-stream',
    body: ({ sized }) => Buffer.alloc(sized(46 * MIB)),
  },
  {
    name: '40 MiB of quotes as text in a small heap',
    rule: GUARDED,
    gateway: 'small heap',
    type: 'text/plain',
    body: ({ sized }) => repeatText(sized(40 * MIB), '"'),
  },
]

/** The time for the records of five seconds to leave the spool, which sends 20 MB a second on a busy machine. */
const LEAVE_MS = 45_000

export const RECORDS: readonly Attack[] = [
  ...ANSWERED.map(answerAttack),
  {
    name: '1 MB calls over eight connections for five seconds',
    rule: 'while bus and reader work no record is lost: calls wait instead',
    run: async (tools) => {
      const end = performance.now() + 5_000
      const answered = await callSustained(tools, {
        connections: 8,
        bytes: tools.sized(MIB),
        goesOn: () => performance.now() < end,
      })
      const { came, twice } = await tools.tally.settled(tools.tag, answered, LEAVE_MS)
      return came >= answered && twice === 0 ? [] : [`${came} records of ${answered} calls, ${twice} twice`]
    },
  },
  {
    name: '1 MB calls while the bus stands still for two seconds',
    rule: 'a bus that stops for a moment loses no record of small calls and delays none of these calls',
    spares: 'records',
    run: async (tools) => {
      await tools.nats.kill('SIGSTOP')
      try {
        const end = performance.now() + 2_000
        await callSustained(tools, { connections: 4, bytes: tools.sized(MIB), goesOn: () => performance.now() < end })
      } finally {
        await tools.nats.kill('SIGCONT')
      }
      return []
    },
  },
  {
    name: 'a request and an answer of 30 MiB',
    rule: 'a record over the limit of the bus is cut and published',
    run: async (tools) => {
      const answer = wholeAnswer(longString(tools.sized(30 * MIB), 'x'))
      const scripted = tools.answer(async ({ write }) => void (await write(answer)))
      const body = namedChat(tools.tag, 1, tools.sized(30 * MIB))
      const outcome = await tools.call({ port: tools.gateway.port, path: tools.path('/hostile/'), body })
      scripted.end()
      const { total: before } = await tools.tally.count(tools.tag)
      const seen = outcome.status === 200 ? [] : [`the answer was ${outcome.status}`]
      return before > 0 ? seen : [...seen, 'no record came']
    },
  },
  {
    name: '2,000 answers at one moment, each written to a journal before it ends',
    rule: 'the calls of one write of the journal end in turns',
    gateway: 'journal',
    run: async (tools) => {
      const calls = tools.sized(2_000)
      const { answered } = await answerTogether(tools, calls)
      const { came, twice } = await tools.tally.settled(tools.tag, answered, LEAVE_MS)
      const isComplete = answered === calls && came === calls && twice === 0
      return isComplete ? [] : [`${answered} answers and ${came} records of ${calls} calls, ${twice} twice`]
    },
  },
  {
    name: '3,000 calls with 20 KB of headers each',
    rule: 'the headers of waiting records are bounded and count in the memory account',
    run: async (tools) => {
      const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
      const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`X-Pad-${index}`, 'p'.repeat(KIB)]))
      let left = tools.sized(3_000)
      const path = tools.path('/hostile/')
      const work = async (): Promise<void> => {
        for (; left > 0; left -= 1) await tools.call({ port: tools.gateway.port, path, body: '{}', headers })
      }
      await Promise.all(Array.from({ length: 8 }, work))
      scripted.end()
      return []
    },
  },
]

type SustainedLoad = { readonly connections: number; readonly bytes: number; readonly goesOn: () => boolean }

/** Makes calls without a pause. Returns the number of answered calls. */
async function callSustained(tools: AttackTools, { connections, bytes, goesOn }: SustainedLoad): Promise<number> {
  const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
  const path = tools.path('/hostile/')
  let serial = 0
  let answered = 0
  const work = async (): Promise<void> => {
    while (goesOn()) {
      serial += 1
      const body = namedChat(tools.tag, serial, bytes)
      const { status } = await tools.call({ port: tools.gateway.port, path, body })
      if (status === 200) answered += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  scripted.end()
  return answered
}
