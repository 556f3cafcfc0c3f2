import { wordsOf } from './rule.ts'

/** Words that are written with a sign for a letter, those that are meant most often first. */
export const MASKABLE: readonly string[] = wordsOf(`
  fuck shit bitch cunt ass asshole dick cock pussy bastard whore slut twat prick wanker nigger nigga faggot fag kike spic chink
  retard retarded tranny fucking fucker fucked fuckin motherfucker motherfucking bullshit shitty shithead dickhead dumbass arsehole bitches
  whores sluts niggers faggots cunts bastards kill killed killing die rape raped murder hate idiot idiots moron stupid dumb loser losers ugly
  damn crap tits porn hell suck sucks trash scum pathetic worthless piss goddamn douche jackass cocksucker queer dyke coon paki
  scheisse arschloch hurensohn fotze puta mierda pendejo cabron joder merde putain connard salope encule
  schlampe wichser fick fickt ficken fresse trottel missgeburt nutte drecksau spast verpiss
  pute connasse foutre abruti batard cretin enculer gueule niquer fils
  gilipollas maricon imbecil estupido zorra polla verga matar
`)

/** Vulgar words worth putting together again where a blank cuts them in two. */
export const CUT_IN_TWO: ReadonlySet<string> = new Set(
  wordsOf(`fuck fucking fucker fucked shit shitty bullshit bitch cunt asshole dickhead pussy bastard whore slut twat wanker nigger
  nigga faggot retard retarded idiot moron stupid motherfucker kill murder dumbass loser stfu kys`),
)
/** Halves that are words of their own. */
export const HALVES: ReadonlySet<string> = new Set(
  wordsOf(`a i as who it is in on of or re he she me my so to do be by no up us we an at if re ed ing er hit ill stup did dumb
  mother nig kil bit ch pus sy reta lose mur der ki got bull sh ass`).filter(
    (word) => !['stup', 'nig', 'kil', 'ch', 'pus', 'sy', 'sh', 'ki', 'mur'].includes(word),
  ),
)
