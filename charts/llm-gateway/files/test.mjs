// The program of `helm test`: repeats its calls until all answers are right, for two minutes at most.
const { GATEWAY_URL = '', ASK } = process.env
const question = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] })

async function ask(path, isRight) {
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: question }
  const answer = await fetch(GATEWAY_URL + path, { ...request, signal: AbortSignal.timeout(10_000) })
  const text = await answer.text()
  if (answer.status !== 200 || !isRight(text)) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`)
  console.log(`${path}: ${answer.status} ${text.slice(0, 500)}`)
}

const end = Date.now() + 120_000
for (;;) {
  try {
    await ask('/echo/', (text) => text === question)
    if (ASK !== undefined) await ask(ASK, (text) => JSON.parse(text).choices.length > 0)
    break
  } catch (error) {
    if (Date.now() > end) throw error
    console.log(`${error.message}${error.cause === undefined ? '' : `: ${error.cause.message}`}`)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}
