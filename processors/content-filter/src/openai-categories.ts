import type { Category } from './scores.ts'

/** OpenAI's names → the six. Toxicity is the highest of all of an answer's scores besides. */
export const OPENAI_CATEGORIES: Readonly<Record<string, Category>> = {
  harassment: 'insult',
  'harassment/threatening': 'threat',
  hate: 'identity_attack',
  'hate/threatening': 'severe_toxicity',
  sexual: 'obscene',
  'sexual/minors': 'severe_toxicity',
  violence: 'toxicity',
  'violence/graphic': 'severe_toxicity',
  'self-harm/instructions': 'toxicity',
  illicit: 'toxicity',
  'illicit/violent': 'toxicity',
}
