import { FRENCH_CLASSES } from './french-classes.ts'
import { GERMAN_CLASSES } from './german-classes.ts'
import { wordsOf } from './rule.ts'
import { SPANISH_CLASSES } from './spanish-classes.ts'

/**
 * Classes for rules about groups of people. Slurs are a class of their own, so that rules can distinguish the mention
 * of a slur from its use.
 */
const IDENTITY_CLASSES = {
  group: `jews jew jewish muslims muslim islam islamic christians christian catholics catholic hindus hindu sikhs buddhists
    atheists mormons blacks black whites white asians asian chinese japanese koreans vietnamese mexicans mexican latinos latino
    latinas hispanics hispanic arabs arab africans african indians indian pakistanis pakistani bangladeshis somalis nigerians
    haitians iranians iraqis afghans syrians turks turkish kurds russians russian ukrainians poles polish romanians italians
    irish germans french americans immigrants immigrant migrants migrant refugees refugee foreigners foreigner aliens illegals
    gays gay lesbians lesbian homosexuals homosexual bisexuals queers trans transgender transgenders transsexuals transwomen
    women woman females female girls men males disabled autistic autistics cripples cripple gypsies gypsy roma travellers
    aboriginals natives minorities boomers elderly zionists palestinians israelis ethnic brown homos brits filipinos
    lgbt lgbtq wheelchair blind deaf dwarves midgets schizophrenics brazilians colombians cubans venezuelans puerto`,
  groupNoun: `jew jews muslim muslims immigrant immigrants migrant migrants refugee refugees foreigner foreigners mexican
    mexicans arab arabs black blacks african africans indian indians asian asians chinese gay gays homo homos queer queers
    lesbian lesbians woman women female females gypsy gypsies pakistani pakistanis turk turks pole poles russian russians
    christian christians catholic catholics hindu hindus illegals cripple cripples transgender transgenders girls`,
  dehumanizing: `animals vermin rats cockroaches roaches pests insects criminals terrorists thieves rapists subhuman subhumans
    inferior disgusting filthy dirty stupid lazy scum trash garbage parasites disease plague cancer sick abomination
    abominations evil liars greedy savages monkeys apes perverts pedophiles pedos paedophiles groomers whores sluts weak
    useless dumb worthless unnatural degenerate degenerates filth leeches invaders barbarians pigs dogs
    primitive uncivilized criminal violent backward backwards mental mentally unclean infestation virus scourge ugly gross crooks
    murderers retarded freaks cheats irrational emotional hysterical cowards idiots morons snakes drunks freeloaders deviants
    sinners demons devils satanic immoral perverted repulsive revolting problem burden invasion mistake hypocrites
    untrustworthy unfit incapable smelly stink uneducated illiterate scammers manipulative`,
  slur: `nigger nigga niggers niggas niglet nigglet nigguh nig nigs nigra faggot fag fags faggy faggotry kike kikes spic spics spick chink chinks gook gooks
    wetback wetbacks raghead ragheads towelhead towelheads sandnigger tranny trannies trannie dyke dykes paki pakis coon coons beaner
    beaners zipperhead injun shemale shemales kaffir kafir wog wogs abo abos jap japs polack polacks dago dagos wop wops
    poofter poof poofs heeb hymie slanteye slanteyes mudslime mudslimes muzzie muzrat goatfucker goatfuckers shitskin shitskins
    dothead darkie darky darkies golliwog jigaboo pickaninny sambo spook tarbaby halfbreed gyppo pikey pikeys cameljockey
    currymuncher feminazi feminazis libtard libtards retard retards mongoloid spastic spaz spaz lesbo lezzie carpetmuncher
    fudgepacker pansy bulldyke ladyboy troon troons redskin squaw chinaman honky whitey cracker crackers
    kanake kanaken neger schwuchtel schwuchteln tunte kameltreiber zigeuner judensau maricon maricones sudaca sudacas
    panchito moraco bougnoule bougnoules negre youpin youpins pede pedes tapette tarlouze bicot`,
  hardSlur: `nigger niggers niglet faggot faggots kike kikes spic spics chink chinks gook gooks wetback wetbacks raghead
    ragheads towelhead towelheads sandnigger tranny trannies beaner beaners zipperhead shemale kaffir wog wogs paki pakis
    polack polacks dago dagos wop wops poofter heeb hymie mudslime mudslimes muzrat goatfucker goatfuckers shitskin shitskins
    jigaboo pickaninny darkie darkies golliwog gyppo pikey cameljockey currymuncher halfbreed nigs bulldyke troon troons
    slanteye slanteyes kanake kanaken schwuchtel schwuchteln judensau maricon maricones sudaca sudacas bougnoule
    bougnoules youpin youpins tarlouze bicot nig`,
}

/** Classes whose words also count in the plural. */
const PLURAL: ReadonlySet<string> = new Set(['insultNoun', 'nasty', 'strongNoun'])

/** Words that patterns name together, by the name after `@`. */
export const CLASSES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...Object.entries(GERMAN_CLASSES),
  ...Object.entries(FRENCH_CLASSES),
  ...Object.entries(SPANISH_CLASSES),
  ...Object.entries({
    ...IDENTITY_CLASSES,
    be: 'are is was were be been being am',
    third: 'he she they it',
    languageName: `english german french spanish italian swedish danish norwegian dutch polish portuguese latin russian japanese korean
      chinese turkish arabic greek hebrew hindi welsh irish finnish hungarian czech thai vietnamese ukrainian`,
    /** Insults and vulgar words that are also family or place names. */
    foulName: `fucking dick cock butt assman wichser ficker fick schwanz arsch trottel depp hure fotzer connard conard salaud sallaud
      cocu batard pute cochon putain con cabron cabrones verga burro cerdo gordo concha moro negro puta putis pussy bitche dildo condom
      intercourse twatt twat shitterton schlampe spasti dumm hooker gay pratt prick wanker whore slut cunt coon dyke`,
    person: `person people guy guys man men woman women boy boys girl girls kid kids child dude lady human humans being beings
      creature creatures individual piece excuse lot bunch crowd folks boss manager teacher politician politicians driver
      drivers neighbor neighbour neighbors neighbours coworker colleague colleagues player players teammate teammates mod mods
      admin admins customer customers journalist journalists senator president author developer developers family mother
      father son daughter husband wife ex voter voters fans fan author writer artist singer actor coach referee ref cop cops
      candidate professor doctor agent support editor reviewer`,
    adv: `so such a an the just really truly very absolutely completely totally utterly literally freaking frigging fricking
      complete total absolute utter real actual probably clearly obviously nothing but only incredibly extremely pretty quite
      still always too all most biggest greatest worst of one kind sort bit little big damn damned goddamn bloody fucking
      fuckin friggin effing huge massive sheer pure plain simply also even more as way old fat ugly stupid dumb dirty filthy lazy
      pathetic worthless useless disgusting ignorant sad miserable arrogant selfish crazy nasty rotten brainless incompetent
      entitled whiny spoiled little lying cheating sorry poor lousy vile sick twisted evil smelly stinking toothless
      self-righteous condescending clueless slimy greasy spineless gutless cowardly heartless dense inbred insufferable gullible
      illiterate overpaid absolute certified walking talking`,
    insultNoun: `idiot moron imbecile cretin dimwit halfwit nitwit numbskull numskull dunce simpleton blockhead
      bonehead airhead birdbrain meathead fathead dolt dullard twit loser scumbag scum dirtbag sleazebag sleazeball slimeball
      lowlife degenerate filth vermin parasite leech swine maggot weasel coward crybaby clown buffoon fool jerk creep
      pervert perv freak weirdo psycho lunatic nutjob nutcase wacko hypocrite liar skank tramp hussy bimbo wench bozo ignoramus
      subhuman disgrace embarrassment failure fatso fatty lardass whale hag incel neckbeard simp cuck soyboy brainlet retard
      troglodyte neanderthal redneck hillbilly mongrel bootlicker crackhead sociopath psychopath narcissist
      asshole arsehole bastard bitch dick prick dickhead dumbass jackass douchebag douche twat wanker tosser fucker motherfucker
      cunt shithead fuckwit asshat asswipe arse slut whore cocksucker piece-of-shit dumbfuck dipshit muppet pillock
      plonker tool knob knobhead bellend pigs pig cow rat snake worm toad dog monkey ape cockroach rodent trash garbage rubbish
      sheeple fraudster charlatan crook scoundrel wretch lardbucket blob ogre gremlin goblin witch nobody zero waste joke
      stain burden cancer disease plague sheep drone wimp weakling pushover doormat manchild brat drama-queen ingrate hack
      amateur quitter cheater scammer thief crybabies morons losers cowards`,
    nasty: `idiot moron imbecile cretin dimwit halfwit nitwit numbskull dunce simpleton blockhead bonehead airhead birdbrain meathead
      twit loser scumbag scum dirtbag sleazebag slimeball lowlife degenerate coward crybaby buffoon creep
      pervert freak weirdo psycho lunatic nutjob nutcase wacko hypocrite liar skank bimbo wench bozo ignoramus subhuman fatso fatty
      lardass hag incel neckbeard simp cuck soyboy brainlet retard troglodyte redneck asshole arsehole bastard bitch prick dickhead
      dumbass jackass douchebag twat wanker tosser fucker motherfucker cunt shithead fuckwit asshat slut whore pillock plonker muppet
      crackhead sociopath psychopath narcissist clowns losers morons idiots dumbfuck dipshit trollop skanks fool fools jerk jerks
      ingrate manchild brat brats imbeciles cretins cowards liars creeps perverts freaks `,
    strongNoun: `idiot moron imbecile cretin dimwit halfwit nitwit numbskull numskull simpleton blockhead bonehead
      airhead birdbrain scumbag scum dirtbag sleazebag slimeball lowlife fatso lardass
      troglodyte brainlet ignoramus`,
    insultAdj: `stupid dumb idiotic moronic pathetic worthless useless disgusting ugly brainless braindead mindless clueless
      incompetent ignorant vile revolting repulsive repugnant gross nasty filthy deranged delusional retarded spineless gutless
      cowardly heartless talentless hideous smelly rotten despicable contemptible detestable subhuman insufferable
      inbred unlovable untalented illiterate fat lazy dense thick pointless laughable trash garbage
      rubbish scum cancer dogshit bullshit shit horseshit shite crap mentally-ill soulless toxic inferior unfuckable obese
      disgraceful shameless gullible vapid vain pitiful lame hopeless uneducated`,
    directAdj: `stupid dumb idiotic moronic pathetic worthless useless disgusting ugly brainless braindead clueless
      incompetent ignorant vile revolting repulsive repugnant retarded spineless gutless cowardly hideous despicable
      contemptible subhuman inbred talentless unlovable filthy fat lazy`,
    /** Adjectives that are insults even when said of a third person. */
    harshAdj: `moronic pathetic worthless disgusting brainless braindead vile revolting repulsive repugnant retarded spineless gutless
      despicable contemptible subhuman inbred idiotic filthy`,
    harm: `kill murder slaughter execute strangle choke stab shoot behead decapitate hang drown poison rape gut skin burn
      torture maim cripple slit butcher massacre exterminate assassinate crucify lynch gas dismember disembowel bury beat
      punch smash destroy crush hurt attack bash batter knife cut strike slap kick break end snap ruin stomp mutilate
      shank whack bomb eliminate`,
    killing: `kill murder slaughter execute strangle stab shoot behead hang rape gut torture butcher exterminate burn
      lynch gas drown dismember skin slit`,
    killed: `killed murdered slaughtered executed strangled stabbed shot beheaded hanged hung raped gutted tortured butchered
      exterminated burned burnt lynched gassed drowned dismembered eradicated eliminated crucified sterilized sterilised
      castrated hurt beaten annihilated`,
    body: `throat neck head skull teeth legs leg arms arm fingers bones eyes eye guts brains brain face jaw ribs knees kneecaps
      nose spine tongue balls heart fucking ass kids children family mother mom mum father dad wife husband daughter son sister
      brother dog cat house home car office parents girlfriend boyfriend loved`,
    target: `you him her them yourself everyone everybody yall bitch bastard bastards motherfucker fucker fuckers bitches pigs
      cops cop someone somebody people anyone`,
    mine: 'i we ill ima imma',
    will: 'will going want would swear promise love about plan planning intend should must need',
    computing: `process processes thread threads server servers task tasks job jobs daemon container containers pod pods
      session sessions query queries script program pid app application service subprocess connection connections
      goroutine worker workers instance node child command commands cron tab port terminal database kernel`,
    game: `game games chess tennis fortnite valorant minecraft fifa cod kart basketball football soccer round match poker
      league duty tournament final finals race monopoly scrabble mariokart pong overwatch pool bowling cards darts golf
      smash quiz debate trivia arcade uno checkers sim season saturday sunday friday playoffs cup series level raid finish line first pitch court field`,
    curse: 'fuck screw damn fuckin fucking hate despise loathe detest',
    bad: `fuck fucking fucker motherfucker shit bullshit cunt bitch bastard asshole dick cock pussy slut whore twat wanker
      nigger nigga faggot fag kike spic chink gook tranny retard retarded dyke paki wog coon idiot moron stupid ass crap damn
      piss bollocks arse puta scheisse arschloch merde putain queer cracker`,
  }).map(([name, text]) => [name, PLURAL.has(name) ? withPlurals(wordsOf(text)) : wordsOf(text)] as const),
])

function withPlurals(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => (word.endsWith('s') ? [word] : [word, `${word}s`])))]
}
