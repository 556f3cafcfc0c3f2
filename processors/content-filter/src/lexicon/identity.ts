import { type Rule, rules, rulesIn } from './rule.ts'

/** Rules for hatred of groups of people. */
export const IDENTITY: readonly Rule[] = [
  ...rules({ identity_attack: 0.95, toxicity: 0.95, insult: 0.8, severe_toxicity: 0.4 }, `@hardSlur`),
  ...rulesIn(
    'en',
    { identity_attack: 0.85, toxicity: 0.82, insult: 0.65 },
    `nigga|niggas|feminazi|feminazis|libtard|libtards|spastic|spaz|mongoloid|sambo|sodomite|sodomites|heathens
     retard|retards|retarded
     you|fucking|dirty|stupid|filthy|ugly|little|these|those|damn|bloody|lazy|smelly|go|get|greasy|@adv *@adv @slur
     @slur like|go|get|are|is|should|do|who|deserve|need|trying|will
     a|the|that|some|bunch|pack|of @slur $
     ching chong
     slant|slanty|squinty eyes|eyed|eye
     camel|sand|carpet|curry|fudge|porch|jungle|house
        + jockey|jockeys|nigger|negro|niggers|muncher|munchers|packer|packers|monkey|monkeys|bunny|bunnies
     towel|rag head|heads
     white|trailer trash
     race traitor|traitors|mixer|mixing
     that|this|you|so|look|are|is so|are|looks|sound|act|is|super gay|homo|jewish|retarded|ghetto
     no homo
     acting|act|being like|so|such|a ~1 @slur|gay|girl|homo`,
  ),
  ...rulesIn(
    'en',
    { identity_attack: 0.93, toxicity: 0.93, severe_toxicity: 0.65 },
    `gas|kill|exterminate|eradicate|slaughter|lynch|shoot|burn|hang|annihilate|sterilize|sterilise|castrate|wipe|purge
       |behead|crucify|bomb|nuke|round|deport|cleanse|ban|murder|stone|enslave
       + *out|up|all|the|every|of|those|these|them|@adv|our|last|single|country|off @group
     @group *people|men|women|person|folk|all|kids|is|religion|@adv
        + should|must|deserve|deserves|need|needs|ought|belong|ca
        + *all|just|really|@adv|to|be|in|have|never|not|been|get|a|the|rounded|up|and|put|sent|back|die|locked
        + @killed|die|dead|exterminated|deported|banned|gassed|camps|ovens|gassing|shooting|eradicated|sterilized
        |slaves|enslaved|ghetto|aids|removed|extinct|existed|exist|born|rights|vote|allowed|cages|zoo
     hitler|nazis|nazi|holocaust|kkk|genocide *was|were|should|did|had|have|@adv|nothing|never|is|a
        + right|finished|good|correct|wrong|completed|needed|hoax|lie|happened
     finish|finished what *the|hitler|nazis hitler|nazis|started
     heil|sieg hitler|heil
     white power|supremacy|race ~2 superior|forever|worldwide|rules|will
     white power|pride
     master|superior|pure race
     subhuman|untermensch *@adv @group|race|races
     death to *all|the|every|those @group
     only *good|a|the good *@adv|kind|of @group *people|person|one is|are *a|the dead
     @group|their *people|men|women|person|lives|race is|are|do *all|not|really|not|actually|@adv
        + fully|real|even|really|human|people|matter|equal|an|inferior
        + human|humans|people|inferior|matter|race|species|equal
     inferior|lesser|impure|degenerate|mud race|races|people|religion|blood|culture|breed`,
  ),
  ...rulesIn(
    'en',
    { identity_attack: 0.86, toxicity: 0.86, insult: 0.55 },
    `@group
       + *people|men|women|person|folks|guys|kids|like|you|lives|community|drivers|country|culture|them|in|this|one
       |agenda|lifestyle is|are|look|looks|smell|act|have|make|makes
       + *@adv|all|both|born|naturally|just|nothing|but|like|basically|always|genetically|inherently|mostly|known|to
       |be|by|nature|than|less|more|same|and|the|a|really|not|of|bunch|me|intellectually|biologically @dehumanizing
     @group *people|men|women|are|all|just|nothing|but|always|only|belong|stay|should|must|need|shut|@adv|be|better|go
        + back|kitchen|home|belong *in|to|where|at|the|your|their|jungle|home|cages
        + kitchen|cages|jungle|africa|came|country|countries|belong|home|zoo|desert|mexico|caves|prison|asylum|closet
        |babies
     go back|home
        + *to|where|you|the|your|in|into|whatever|of|jungle|own|shithole|fucking|dirty|third|world|@adv|from|all
        + africa|mexico|china|india|country|countries|came|come|kitchen|islam|pakistan|syria|jungle|israel|iran|closet
        |cave|desert|turkey|poland|home
     hate|despise|loathe|cannot|detest|distrust
        + *all|the|these|those|stand|every|trust|@adv|fucking|freaking|people|who|are|seeing|of|being|near|around|damn
        |so|much|black|any|such @group
     never|not|cannot|nobody *ever|should|to|do|would
        + trust|hire|want|let|allow|date|give|sell|rent|like|believe|serve|respect|employ|marry
        + *to|with|for|any|a|an|these|the|my|your @groupNoun
     do not *ever trust|hire|want|let|allow|date|give|sell|rent|like|believe|serve|respect|employ|marry
        + *to|with|for|any|a|an|these|the|my|your @groupNoun
     dirty|filthy|stupid|lazy|fucking|disgusting|smelly|greedy|damn|bloody|evil|ugly|typical|worthless|violent
        |ignorant|nasty|dumb|cheap|savage|sneaky|backward|disease|sick|gross|crazy|uncivilized|goddamn|criminal
        |barbaric|degenerate|perverted|pathetic|murderous|rotten
        + *@adv|ridden|carrying|little|old|illegal|fucking|black|brown|white|hook|nosed @groupNoun
     @group *people|men|women|and|their|all|kind|are|is|have|@adv|lobby|agenda
        + ruin|ruined|ruining|destroy|destroying|destroyed|infest|infesting|infested|invade|invading|flood|flooding
        |polluting|contaminate|breed|breeding|leech|leeching|steal|stealing|corrupt|corrupting|control|controls|run
        |runs|rule|own|poison|poisoning|rape|raping|groom|grooming|take|taking|conquer|replace|replacing|spread
        |spreading
        + our|everything|the|this|like|over|into|off|from|up|all|on|that|your|us|western|country|media|of|world
        |disease|jobs|culture
     overrun|infested|ruined|destroyed|polluted|invaded|flooded|controlled|run|owned|replaced|full|swarm|plague|horde
        |hordes|swarms|invasion *with|by|of|the|these|those|all|too|many|@adv|illegal @group
     these|those|such|you|your|foreign|old|poor|fat|homeless|disabled people|kind|types|sort are
        + *@adv|all|no|better|than|like|a
        + animals|vermin|rats|cockroaches|criminals|scum|trash|parasites|savages|subhuman|leeches|inferior|useless
        |worthless|disgusting|filth|lazy|stupid|burden|plague|disease|cancer|pigs|filthy
     @group *people|men|women|kids|folks is|are *@adv|naturally|genetically|biologically|inherently|just|not|by|nature
        + less|as|lower|not *as|so|very|in
        + intelligent|capable|smart|human|evolved|civilized|moral|trustworthy|competent|fit|iq|intelligence|clean
        |worthy|welcome
     @group *people|men|women|kids|all|just smell|smells|stink|stinks|reek
     @group *people|men|women|kids|children|folks should|must|need *not|never|be|all|to|stay|get|have|kept|ever|put
        + locked|away|separate|segregated|institutionalized|neutered|reproduce|breed|voting|drive|vote|public|marry
        |adopt|restrooms|bathrooms|near|teach|supervised
     send|ship|throw|kick|deport|put|drive *them|these|those|all|the|every|of|him|her|you|back|people|@group
        + back|out|home|away|boats|boat *to|of|on|africa
        + africa|mexico|china|asia|india|pakistan|turkey|country|came|boat|plane|jungle|desert
     get|keep|kick|throw|drive|chase these|those|the|all *@adv|damn|of|the @group *people out|away|off
     woman|women|wife|wives|female place|job|role is|in|to ~3 kitchen|home|house|bedroom|children|cook|obey
     no|any *@adv|decent|sane|normal|self|respecting|smart|real|one
        + person|man|employer|landlord|company|boss|woman|neighborhood *should|would|will|wants|ever|could|to
        + hire|date|marry|trust|want|employ|rent *to @group
     want|have|let|allow|need|tolerate|having *those|these|such|any|more|your|of people|freaks|types|kind
        + near|around|in|living *my|our|the|to|next
        + children|kids|neighborhood|neighbourhood|country|school|house|street|town|bathroom|church|building
     @group *people eat|eats|eating *your|our|the|all|and|raw dogs|cats|bats|pets|rats|dog|bugs|babies
     @group *people|men|women are|is|were *all|@adv|nothing|but|just|basically
        + trash|garbage|sheep|brainless|mindless|rapists|dealers|terrorists|cult|thugs|goblins|ugly|loud|cheap
        |hormonal|gold|bitches|liars|submissive
     @group *people|men|women|and|their|kids|all bring|brings|bringing|carry|carrying|spread|spreads
        + *in|only|nothing|but|their|us|here|all
        + disease|diseases|crime|viruses|drugs|filth|terror|lice|rape|rapists|plague
     @group *people only|just|always|all *@adv|ever|want|come|live|work|care|know|here|to|how
        + steal|rob|cheat|lie|breed|kill|hate|leech|complain|money|welfare|benefits|scam
     take|taking|took|steal|stealing|stole *all|over our|my|your|american|british
        + jobs|country|women|neighborhood|streets ~3 @group
     men|boys are|is *all|@adv trash|pigs|garbage|scum|dogs
     every|all|any|each|these|those|most @group ~4 is|are *@adv|such
        + @nasty|@dehumanizing|brainwashed|idiot|idiots|thief|criminal
     savages|animals|apes|monkeys|barbarians|cockroaches|vermin|scum|filth|trash from
        + *the|that|this|those|these|all|your
        + africa|mexico|asia|china|india|pakistan|syria|islam|country|countries|shithole|desert|jungle|east|middle
     people|types|ones|immigrants from *the|that|this|those|these|your|their|such|shithole|third|world
        + africa|mexico|asia|china|india|pakistan|syria|country|countries|place|places|culture|region are
        + *@adv|nothing|like|basically @dehumanizing|thieves|liars|loud|criminal
     you|those|these people *from|that|this|country|place|there are *@adv|nothing|just the *exact|very|all
        + same|problem
     you|those|these people *from|that|this|country|place|there are *@adv|nothing|just
        + thieves|liars|criminals|welfare|loud|dirty|terrorists|rapists|cheats|uneducated
     little lady|girlie|missy
     lesbians|gays|feminists *just|only|all need *a|real|good man|dick
     too many *of|the|these|those|fucking|damn|goddamn @group
     get rid of *the|all|these|those|every|@adv @group
     rid of *the|all|these|those|every|@adv @group
     @group *people|men|women|folks|just|really|simply|always|naturally|@adv|all|the|only
        + not|cannot|never|can|should|know|will|do|were|good|want|care
        + *not|never|ever|be|how|even|really|even|actually|simply|get|made|allowed|to|only|about|allow|have|for
        |integrate|assimilate|any
        + drive|code|program|park|fight|read|count|compete|vote|think|trusted|lead|leading|integrate|assimilate|logic
        |math|parent|rights|work|adopt|marry|cook|breeding|sex|cooking|jobs|teach|educated|taught|behave|feelings
        |welfare|money|culture|belong|civilized|allowed|cleaning
     being|homosexuality|transgenderism|feminism|islam|judaism|gay|lesbian *gay|trans|a|lesbian|transgender|queer is
        + *@adv|an|being|a
        + disease|sin|unnatural|disorder|illness|abomination|perversion|cancer|sick|disgusting|satanic|plague|evil
        |cult
     gays|homosexuals|lesbians|trans|jews|muslims|christians|queers|blacks ~3 hell|burn
     women|woman|female|females|girls
        + *are|is|only|just|@adv|exist|should|good|belong|to|were|need|for|be|must|objects|property|nothing|made
        + *for|and|to|in|of|be|serve|obey|obedient|their|more|than
        + kitchen|property|objects|men|obey|breeding|sex|rape|husbands|submissive|cook|hormonal|quiet|silent|emotional
        |dishes
     like|drive|fight|throw|cry|run|argue|think a|like *a|@adv girl|woman|jew|gypsy|immigrant|homo|negro
     a|as typical|usual|expected *of|from|for|behavior|@adv @groupNoun
     typical @groupNoun|jew|muslim
     jew *them|him|me|down|ed|him|bastard|lies|media|puppet|bastard down|bastard|lies|media|puppet|nose|money
     jewed|gypped|gyp|jewing|jewish *conspiracy|lies|puppet|space|trick|media
        + conspiracy|lies|control|lasers|vermin|trick|puppet|nose
     @group|their|your *kind|people|type|filthy|disgusting kind|people|race|type|culture|religion|faith|god
        + *is|are|do|does|should|not|has|makes|have|no|@adv|me|belong|belongs|welcome|here|deserve
        + @dehumanizing|belong|welcome|sick|ruining|wanted|allowed|here|place|deserve
     we|us *do|not|need|want|do|should|any|more|no|@adv your kind|type|sort
     your|their kind *is|are|not|does|should|do belong|welcome|wanted|disgusting|sick|back
     @group
        + lover|lovers|trash|scum|filth|vermin|freaks|freak|bastard|bastards|pigs|pig|rats|rat|animals|savages
        |parasites|bitch|bitches|whore|thugs|cunt|cunts|fuck|fucks|dogs|dog|terrorist|terrorists|asshole|idiots|idiot
        |morons
     fuck *all|the|these|those|every|you @group
     cripple|cripples|gimp *like|@adv should|freak|go|are|can|you
     fake|not *a|an|real|actual|@adv men|women|man|woman|real|human *in|pretending|with|you dress|dresses|tranny|wig`,
  ),
]
