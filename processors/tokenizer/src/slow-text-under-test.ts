/** Makes one word of random letters. Its parts differ, so that each of them is counted. */
export function slowText(characters: number): string {
  const letters: string[] = []
  let state = 1
  for (let count = 0; count < characters; count += 1) {
    state = (state * 48_271) % 2_147_483_647
    letters.push(String.fromCharCode(97 + (state % 26)))
  }
  return letters.join('')
}
