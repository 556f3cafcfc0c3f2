/** The languages of the rules. */
export type Language = 'en' | 'de' | 'fr' | 'es'

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const

/** Small words of which nearly every sentence has one, folded. Words that two languages share don't count. */
const SMALL_WORDS: Readonly<Record<Language, string>> = {
  en: `the and you your is are of what how why who which that with for my it he she they we do does did can could would should
    have has not be from by at if where when write explain tell give and there their his her will was were been about into me no`,
  de: `ich du er sie wir ihr mich dich dir mir euch uns der die das den ein eine einen einer eines und oder ist sind bist hat habe
    hast nicht kein keine wie wer wo warum wieso wann mit von zu zum zur auf fur auch aber nur noch schon doch dein deine deinen
    mein meine meinen meinem sein seine wenn weil dass nach bei aus wird werden wirst werde kann kannst soll sollte sollten man
    nein heisst bedeutet schreibe woher welche welches welcher welchen diese dieser dieses endlich gehoren ihm meiner hatte hatten es`,
  fr: `je tu il elle nous vous le les un une et ou est sont suis ne pas mes tes ses votre vos notre nos du des au aux que qui quoi
    comment pourquoi quand dans avec ce cette ces quel quelle mais mon ta sa leur leurs etre ai qu te trop vraiment aussi ecris moi toi
    vont va vais fait faire tous pour combien me en de d l j t c`,
  es: `yo el ella nosotros los las una unos unas es son eres soy esta estas que quien como cuando donde por para sin mi su sus
    se lo le si muy mas pero del al este esto voy vas tienes tiene hay cual porque escribe hago ser sois vosotros puede puedo ese me nos no y das dais de en
    esa esos tu te os un`,
}

const LANGUAGES_OF: ReadonlyMap<string, readonly Language[]> = byWord()

/** This many small words make a phrase of the language, whatever is around it. */
const PHRASE = 2

/**
 * Returns the languages that a sentence may be in: those with a phrase, or with at least half as many small words as
 * the best language; all languages when it has no small word.
 */
export function languagesOf(words: Iterable<string>): ReadonlySet<Language> {
  const counts = { en: 0, de: 0, fr: 0, es: 0 }
  for (const word of words) for (const language of LANGUAGES_OF.get(word) ?? []) counts[language] += 1
  const best = Math.max(...Object.values(counts))
  return new Set(LANGUAGES.filter((language) => best === 0 || counts[language] >= Math.min(PHRASE, best / 2)))
}

function byWord(): ReadonlyMap<string, readonly Language[]> {
  const languages = new Map<string, Language[]>()
  for (const language of LANGUAGES) {
    for (const word of new Set(SMALL_WORDS[language].split(/\s+/))) {
      languages.set(word, [...(languages.get(word) ?? []), language])
    }
  }
  return languages
}
