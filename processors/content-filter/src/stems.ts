/** Patterns that no harmless word matches, each with the word of the lexicon that stands for its matches. */
const INSIDE: readonly (readonly [RegExp, string])[] = [
  [/^mother?fuck/, 'motherfucker'],
  [/fuck(?:er|ers|face|faces|wit|wits|head|heads|tard|tards|boy|boys|nugget|stick)$/, 'fucker'],
  [/fuck/, 'fuck'],
  [/^cock(?:suck|smok|gobbl)/, 'cocksucker'],
  [/^(?:ass|arse|azz)hol/, 'asshole'],
  [/^(?:ass|arse)(?:hat|wipe|clown|face|licker|bag|wad)s?$/, 'asshat'],
  [/^(?:bull|horse|dog|bat|chicken|ape|rat|cow)shit/, 'bullshit'],
  [/^(?:dip|dumb)shit/, 'dipshit'],
  [/^shit(?:head|bag|face|stain|lord|heel|weasel|gibbon)s?$/, 'shithead'],
  [/^shit(?:t|s$|ty|hole|show|post|load|ton|storm|fest|housery)/, 'shit'],
  [/^cunt(?:s|y|ing|face|bag|ish)?$/, 'cunt'],
  [/^bitch(?:es|y|ing|in|ass|boy|face|tits)?$/, 'bitch'],
  [/^sonofabitch/, 'bitch'],
  [/^nigg(?:er|az|as|uh|ah|let|ers)/, 'nigger'],
  [/^fagg?ot/, 'faggot'],
  [/^slut(?:s|ty|bag|face)?$/, 'slut'],
  [/^whor(?:e|es|ing|ish|ebag|eface)$/, 'whore'],
  [/^dick(?:head|weed|wad|face|bag|less|wit|nose)s?$/, 'dickhead'],
  [/^douche/, 'douchebag'],
  [/^scumb/, 'scumbag'],
  [/^dumb(?:ass|arse|fuck)/, 'dumbass'],
  [/^(?:lard|fat)ass/, 'lardass'],
  [/^wank(?:er|ers|stain|ing)/, 'wanker'],
  [/^tw[ao]t(?:s|ty|face)?$/, 'twat'],
  [/^(?:towel|rag)head/, 'towelhead'],
  [/^sand?nigg/, 'nigger'],
  [/^(?:kike|spic|gook|wetback|raghead|beaner|tranni|trannie)s?$/, 'kike'],
  [/^(?:sau|drecks|scheiss)(?:kerl|hund|sau|pack|typ|weib|kanake)/, 'drecksau'],
  [/^huren?sohn/, 'hurensohn'],
  [/^arschl/, 'arschloch'],
  [/^wichs/, 'wichser'],
]
/** Most words fail this one test, so that no single pattern is tried on them. */
const ANY =
  /fuck|shit|hol|cunt|bitch|nigg|fag|slut|whor|dick|douch|scumb|dumb|ass|wank|tw[ao]t|head|kike|spic|gook|wetb|beaner|trann|sau|dreck|scheiss|hure|arsch|wichs|cock/

/** The word of the lexicon that stands for `word`; undefined where no pattern matches. */
export function stemOf(word: string): string | undefined {
  if (!ANY.test(word)) return undefined
  return INSIDE.find(([pattern]) => pattern.test(word))?.[1]
}
