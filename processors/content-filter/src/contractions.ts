/** Short forms and chat spellings → words of the lexicon. Apostrophes are already removed. */
export const CONTRACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  `u:you yu:you r:are ur:your yr:your urself:yourself yerself:yourself yourselves:yourself
  youre:you,are ur2:your youll:you,will youve:you,have youd:you,would yall:you,all yallre:you,all,are
  im:i,am ive:i,have imma:i,will ima:i,will ill:i,will id:i,would iam:i,am
  hes:he,is shes:she,is theyre:they,are theyll:they,will theyve:they,have weve:we,have hell:hell shell:shell
  its:it,is thats:that,is whats:what,is whos:who,is theres:there,is heres:here,is hows:how,is wheres:where,is
  dont:do,not doesnt:does,not didnt:did,not wont:will,not wouldnt:would,not cant:can,not couldnt:could,not shouldnt:should,not
  isnt:is,not arent:are,not wasnt:was,not werent:were,not aint:are,not havent:have,not hasnt:has,not hadnt:had,not mustnt:must,not
  cannot:can,not gonna:going,to gunna:going,to wanna:want,to gotta:have,to hafta:have,to lemme:let,me gimme:give,me tryna:trying,to
  dat:that dey:they ppl:people sum1:someone every1:everyone any1:anyone no1:nobody wit:with ur:your
  kys:kys kms:kms gtfo:gtfo fck:fuck fuk:fuck fuc:fuck phuck:fuck fvck:fuck fcuk:fuck fuq:fuck fukk:fuck phuk:fuck effing:effing
  fkn:fucking fking:fucking fckin:fucking fcking:fucking fukin:fucking fuckin:fucking fukking:fucking fuckn:fucking fkin:fucking fck1ng:fucking
  fker:fucker fcker:fucker fukker:fucker mofo:motherfucker mfer:motherfucker mfs:motherfucker mofos:motherfucker
  sht:shit shyt:shit shiet:shit bs:bs btch:bitch biatch:bitch bish:bitch biotch:bitch bytch:bitch beotch:bitch biznatch:bitch azz:ass
  azzhole:asshole ahole:asshole aholes:asshole eyhole:asshole fing:fucking effin:fucking motherfing:motherfucker bullsh:bullshit ashole:asshole asshol:asshole assh0le:asshole kunt:cunt cvnt:cunt dik:dick dck:dick dick:dick puss:puss pusy:pussy
  stfu:stfu gtf:gtfo nigga:nigga niga:nigga nigar:nigger niggur:nigger nibba:nigga nigha:nigga n1gga:nigga nigg:nigger
  fagot:faggot faget:faggot phaggot:faggot faggit:faggot fagg:fag retart:retard rtard:retard tard:retard tards:retard libtards:libtard
  idot:idiot ediot:idiot idjit:idiot eejit:idiot stoopid:stupid stupd:stupid stewpid:stupid stoooopid:stupid dum:dumb morron:moron
  looser:loser luser:loser lozer:loser whor:whore hore:whore slutt:slut skanky:skank pervy:pervert
  kil:kill murda:murder killem:kill,them killyou:kill,you killurself:kill,yourself killyourself:kill,yourself
  fuckyou:fuck,you fucku:fuck,you fuckoff:fuck,off shutup:shut,up screwyou:screw,you hateyou:hate,you gotohell:go,to,hell
  thicko:idiot thickos:idiot dumdum:idiot dumbo:idiot stupidhead:idiot dunderhead:idiot twits:twit dopey:stupid braindamaged:braindead
  shitforbrains:shithead arsewipe:asswipe dickbag:dickhead douchecanoe:douchebag libtarded:libtard buttface:idiot buttmunch:idiot buthole:asshole
  butthole:asshole fucktard:fucker fuckstick:fucker shitlord:shithead cockwomble:dickhead twatwaffle:twat jackoff:wanker cumdumpster:cumdump
  unaliving:unalive offed:off merk:kill`
    .split(/\s+/)
    .map((entry) => {
      const [short = '', long = ''] = entry.split(':')
      return [short, long.split(',')] as const
    }),
)

/** Endings after an apostrophe; the genitive's s is dropped. */
export const ENDINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['re', ['are']],
  ['ll', ['will']],
  ['ve', ['have']],
  ['m', ['am']],
  ['d', ['would']],
  ['em', ['them']],
  ['all', ['all']],
])

/** Words after which `'s` means `is`. */
export const WITH_IS: ReadonlySet<string> = new Set('he she it that this what who where there here how'.split(' '))

/** Patterns that no harmless word matches, each with the word of the lexicon that replaces a match. */
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
/** All patterns in one expression: most words don't match it, so the single patterns aren't tried on them. */
const ANY =
  /fuck|shit|hol|cunt|bitch|nigg|fag|slut|whor|dick|douch|scumb|dumb|ass|wank|tw[ao]t|head|kike|spic|gook|wetb|beaner|trann|sau|dreck|scheiss|hure|arsch|wichs|cock/

/** Returns the word of the lexicon for `word`; undefined when no pattern matches. */
export function stemOf(word: string): string | undefined {
  if (!ANY.test(word)) return undefined
  return INSIDE.find(([pattern]) => pattern.test(word))?.[1]
}
