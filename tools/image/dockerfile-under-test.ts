/** An instruction of a Dockerfile, with its continuation lines joined. */
export type Instruction = { readonly name: string; readonly rest: string }

/** Returns the stages of a Dockerfile, each beginning with its FROM, without comments. */
export function readStages(dockerfile: string): readonly (readonly Instruction[])[] {
  const lines = dockerfile.replaceAll(/\\\n\s*/g, '').split('\n')
  const instructions = lines.flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === '' ? [] : [{ name, rest }]
  })
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []))
  return starts.map((start, index) => instructions.slice(start, starts[index + 1]))
}

/** Returns the value of an instruction that a stage has once. */
export function instruction(stage: readonly Instruction[], wanted: string): string | undefined {
  return stage.find(({ name }) => name === wanted)?.rest
}

/** Parses `KEY="value" …` of LABEL and ENV. */
export function pairsOf(stage: readonly Instruction[], wanted: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...(instruction(stage, wanted) ?? '').matchAll(/(\S+?)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      value,
    ]),
  )
}
