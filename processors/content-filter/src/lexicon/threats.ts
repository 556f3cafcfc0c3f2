import { type Rule, rules } from './rule.ts'

/** Announced or wished violence against somebody. */
export const THREATS: readonly Rule[] = [
  ...rules(
    { threat: 0.94, toxicity: 0.94, severe_toxicity: 0.46 },
    `@mine ~1 @will *to|just|personally|have|be|i|god|@adv|come|over|and|there|find|you|hunt|down|get|then|track|go|like|enjoy|love @killing|killing *all|of|every|last|@adv @target
     @killing *every|all|of|each|the|those|these|@adv|fucking last|single one|@target|person
     put a bullet|knife|hole|axe|blade in|through *your|his|her|their|you|that
     slit|cut|slash *your|his|her|their|@adv throat|throats|wrists|neck|open
     cut off *your|his|her|their|@adv head|fingers|hands|ears|balls|dick|tongue|hand
     rip|tear|cut|chop|beat|knock|smash|kick|blow|break|bash *your|his|her|their|out|off|in|@adv|every|bone|fucking head|throat|face|skull|teeth|limbs|spine|heart|guts|tongue|balls|legs|brains|jaw|arms|kneecaps|neck|body *in|off|out|open|with|and
     kick|beat|knock|smack|slap|punch your|his|her|their *@adv|fucking|living teeth|head|face|ass|skull|brains|nose|jaw
     beat|kick|knock|scare the *living|fucking|absolute|actual shit|hell|crap|daylights|piss out
     break|snap|smash|crush|shatter|wring|twist|cave|stomp *your|his|her|their|every|@adv|both|in neck|legs|bones|bone|arms|kneecaps|fingers|face|skull|spine|ribs|jaw|nose|head|teeth|knees
     burn|blow|shoot|torch|bomb *down|up|your|his|her|their|the|whole|@adv|this|that|place|entire house|home|school|building|office|church|mosque|synagogue|car|family|apartment|shop|company|headquarters|store|station|village|place
     school|office|mosque|church|synagogue|crowd|airport is|will *be|getting|going|get|to|blown|shot bombed|burned|up|burn|attacked|shot
     shoot|blow|bomb up *the|your|that|this|my|whole school|office|place|house|building|mall|class|concert
     bring|bringing|brought|buy|buying|got|get|getting *a|my|the|an gun|rifle|knife|ar15|bomb|shotgun|weapon|glock to|for|and *you|school|work|the|your|will|his|her|office|class
     i|we have *a|my|the gun|knife|bomb|rifle|weapon|shotgun|machete ~3 you|your|name
     bury|buried *you|him|her|them|your|body|alive|in|under|the|somewhere|where|nobody alive|body|backyard|desert|woods|forest|basement|ground|find|shallow
     i|we *@will|am|to|just|find|you|and|be|have|come|over rape|raping|gut|skin|behead|dismember|torture|strangle|decapitate|disembowel *@adv|and you|your|him|her|them|every
     rape *you|your|her|him|@adv|and|little you|your|mother|sister|wife|daughter|kids`,
  ),
  ...rules(
    { threat: 0.88, toxicity: 0.86, severe_toxicity: 0.2 },
    `@mine ~1 @will *to|just|personally|have|be|i|god|@adv|come|over|and|there|find|you|hunt|down|get|then|track|go|like|enjoy|so|love @harm|hurting|beating *all|of|every|last|@adv|the|living|shit|hell|crap|out|up|with|my|bare|hands @target
     i am|are|be coming|here to @harm|get *all|of|every|last|@adv @target
     @will|to @harm your *@adv|whole|entire|little @body
     i|we *@will|am|to|still|already|do|just|now|finally know|found|remember|find *out|exactly where|which|what *school|street|car|route|bus|way|time you|your *and|family|kids|children|daughter|son|wife|mother|husband|sister|parents|always|all live|lives|sleep|sleeps|work|works|park|parks|go|goes|walk|walks|attend|attends|take|takes
     watch|watching your *@adv back|house|kids|family|step|mouth|window|every
     sleep with|lock *one|eye|your|doors|tonight|both|door|windows eye|eyes|doors|door|tonight|open|windows
     you|he|she|they *@will|are|is|all|@adv|be|just|so|as|good|already dead|toast *to|me|meat|man|man|when|if|after|by|tonight|tomorrow|soon|kid|bitch|woman|boy
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to regret|suffer|bleed|scream|beg|rot|die $
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to regret|suffer|bleed|scream|beg|rot|sorry *for|this|that|it|ever|the|day|in|you|crossing|messing|doing|saying|what|like|slowly|tonight
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to die *soon|tonight|screaming|slowly|tomorrow|today|here|painfully|for|like|alone|bitch tonight|slowly|screaming|soon|for|like|painfully|bitch|tomorrow
     you *will|going|are|to|all|@adv|be will|going|to burn|rot in hell
     make|making|made|see|watch|watching you|him|her|them|your|his *@adv|family|all|both|kids|wish|and pay|regret|suffer|bleed|die|scream|beg|cry|disappear|burn|sorry|crawl|dead|never|vanish
     will|going|to pay for *what|this|that|it|with you|your|did|life|blood|$
     pay dearly
     you *will|going|to|are|might|all be|end|wake|wind *found|up|dead|face|down ditch|hospital|grave|river|morgue|coffin|wheelchair|alley|trunk|dumpster|woods|bodybag
     you *will|going|to|are|might|all be|end|wake|wind *found|up|dead|face|down in|at *a|the|some|an|your ditch|hospital|grave|river|morgue|coffin|wheelchair|alley|trunk|dumpster|woods|bodybag
     prepare|ready|about|time|going for|to|you die|bleed|suffer tonight|today|now|here|$
     i|we have|know|got|found|has *both|just|now your *home|work|parents|wife|new|exact|ip address|addresses
     mosque|mosques|church|churches|synagogue|synagogues|school|parliament|capitol|headquarters|building|office|hospital|clinic|embassy ~6 should|must|deserves|needs *to|be|get|all burned|burnt|bombed|blown|razed|torched|shot
     not live|be|alive|around|here *alive|around|here to see
     what is coming to you|him|her|them
     outside|behind|at|to|find|visit|see|meet|waiting ~1 you|your ~4 with *a|my|the|an|baseball|loaded|big|few bat|gun|knife|rifle|axe|machete|crowbar|hammer|shotgun|bullet|gasoline|petrol|chainsaw|pistol|friends
     have|got|found your *home|new address ~6 way|visit|coming|soon|tonight|over|there
     or *i|we|will|@adv your|his|her *@adv @body|girl|boy|baby|life|business|reputation *get|gets|will|is|be|are hurt|dies|dead|die|killed|suffer|suffers|shot|hurt|gone|over
     see|ensure|make|making|made ~4 you|him|her|they|them suffer|bleed|regret|scream
     find|finding|found *your|his|her body|corpse|remains *floating|buried|dead|your|lying|somewhere in|under|at|behind|by
     identify your|his|her body|corpse|remains
     teach|show you|him|her|them a lesson *you|he|she|they|will|that never|will forget
     make|making you|him|her an example
     there is|will|be *will|be|a bullet|target|bounty *a|with|on your
     i|we *have|will|got|know|can friends|people|guys|men who|that *will|can|would take|visit|pay|deal|care
     nobody|noone|no *one|body|will|would|is|going|to|ever|even find|hear you|your *body|remains|screams|scream|corpse
     will be the end of you|him|her $
     dead man|woman|meat walking
     dead to|if|when you|i|we *ever|see|find|catch
     your|his|her|their kids|children|family|wife|daughter|son|mother|house|friends|dog will|are|is not|never be safe
     @mine ~1 @will *to|just|@adv|go|really|love kill|murder|stab|shoot|strangle|beat|punch|choke|poison *@adv|up my|this|that|the *@adv|ex|next|whole boss|coworker|colleague|neighbor|neighbour|teacher|wife|husband|girlfriend|boyfriend|ex|landlord|manager|roommate|mother|father|brother|sister|family|guy|woman|man|bitch|bastard|class|judge|president
     you are next|history $
     you are finished|dead $
     your family|kids|wife|mother|house|turn is|are next
     coming|come|came for|after you|your|him|her|them
     hunt|hunting|track|tracking|run|gun *you|him|her|them|all|your|family down|you|over like|and|with|one|$
     find|found|catch|corner|get|meet|see you|him|her|them ~3 and|i|alone|dead|will|outside ~5 @harm|kill|hurt|beat|regret|sorry|pay|alley|dark|alone|dead|bleed
     if|when i|we *ever|@adv|see|catch|find|get|hands|my|on|your|face ~4 again|you ~6 @harm|dead|regret|hospital|sorry|break|grave|bleed|end|knock|teeth
     or else|i|you|we *will|be|are|going|someone|your|gonna|to ~2 @harm|hurt|dead|regret|pay|family|sorry|kill|suffer
     your *@adv|days|hours|time|whole|life|kids|children|last|entire family|days|blood|life|kids|children|blood|grave|head|hours|house *@will|is|are|going|be|on|all|to|would numbered|next|over|die|pay|spill|suffer|dead|floor|hands|roll|mine|burn|stake|ashes
     last|final thing|day|breath|night|words|meal *you|on|of|your|that|i|will|ever|let|is ~1 see|do|earth|take|alive|life
     not *live|make|be|around to see|alive tomorrow|tonight|another
     you|he|she|they *will|are|is|do|going|to not|never *@adv|to|going|be|live|able walk|breathe|wake|see|make|leave ~2 again|tomorrow|up|alive|morning|sunrise|birthday|christmas
     put|send|end *up|your|ass|all|be|back you|him|her|them|up|your *up|ass|all|both|back|straight|in|into|to|inside|a|an|the|six|back hospital|grave|ground|coffin|morgue|wheelchair|ditch|feet|icu|under|cemetery|box|bodybag|intensive|trunk|river
     dance|piss|spit|dancing on your|his|her|their *@adv grave|graves|corpse
     end|ruin|destroy|take your|his|her *@adv|whole|entire|miserable life|career|family|existence
     shame|pity|unfortunate|sad|terrible|awful if *something|anything|someone|your|were|was|bad|happened|to happened|hurt|fire|accident *to|happen|an|in|your|on|caught|him|her your|you|them|family|fire|accident
     not hesitate|rest|think|stop ~4 @killing|dead|killing|hurting|hurt|shooting|shoot
     better|should|you *@adv|start|be|watch|sleep|keep|run|running|hide looking|look|run|hide|pray|running|hiding|careful|scared|beg *over|your|while|before|and|tonight|because|if|when shoulder|i|can|back|find|catch|could|come|next|get
     say|kiss|said *your|goodbye|to|bye goodbye|prayers|goodbyes *to|your family|kids|life|legs|teeth|wife|house|$
     someone|somebody|people|they|we|he|she|you|whoever|everyone|anyone|all|those|author|developer|politician|politicians|judge *all|of|them|made|wrote|did|did|this|that|who|responsible|involved|just|really|definitely|both should|ought|must|needs|need|deserves|deserve *to|all|be|get|been|have|just|@adv|taken|out|and|dragged|lined|up|against|a|wall killed|murdered|slaughtered|strangled|stabbed|shot|beheaded|hanged|hung|raped|gutted|tortured|butchered|exterminated|lynched|gassed|drowned|crucified|castrated|beaten|burned|burnt|die
     someone|somebody *should|needs|ought|will|has|must|please|to|just|@adv|go @harm|shoot|kill|murder *@adv|all|of you|him|her|them|these|those|this|that|every
     keep|try talking|pushing|running|doing|it|that|me|your ~5 see what happens
     see what happens to you|when|if
     wait *till|until i|we find|get|catch|see you
     wait *till|until i|we get my hands
     keep|try *talking|running|your|pushing|mouth|me|that|it|doing|this|up ~3 see|find|end|happens *what|out|up|happens|in hospital|happens|body|dead|badly
     lynch|crucify|behead|decapitate|gas|hang him|her|them all|both|$
     accident|accidents *can|do|will|could|may|might|happen|happens happen|waiting to|you|especially|so|when|your
     bullet|bullets|knife|noose|rope with|for|has *your|name|you|on|her|him name|you|it|neck
     meet|see me|you outside|parking|alley
     count|enjoy your *last|remaining|the|days|final days|hours|breath|teeth|life|meal`,
  ),
  ...rules(
    { toxicity: 0.95, severe_toxicity: 0.64, threat: 0.56, insult: 0.7 },
    `kill|hang|shoot|drown|neck|off|rope|stab|unalive|hurt|cut|delete|gas|poison yourself|urself|yourselves
     kys|kysnow|killyourself|keepyourselfsafe
     slit|cut your *own|fucking|damn wrists|throat
     go *and|fucking|please|ahead|just die|hang|drown|choke|rot
     die in|already|slowly|painfully *a|the|hell|an|fire|horribly|some fire|hell|you|pain|agony|hole|ditch|accident|gutter|please
     hope|wish|pray|praying|hoping|wishing *that|you|he|she|they|your|all|and|both|kids|children|family|mother|whole|entire|someone|somebody|a|the|bus|car|truck|gets|get|would|will|one|day|really|his|her|their|@adv|of|hits *get|@adv|will|in|a|@adv|got|be|by|die die|dies|died|cancer|raped|rot|choke|burn|burns|suffer|suffers|dead|aids|killed|kills|hit|run|stabbed|shot|murdered|drown|perish|crash
     jump|step|walk|throw *yourself|off|in|into|from|out|under|in|front|of|a|the|tall|nearest|your|moving bridge|cliff|building|train|bus|roof|traffic|window|truck
     drink|eat|swallow|gargle|chug *some|a|bottle|of|the|glass bleach|cyanide|poison|antifreeze|bullet|gun|drano
     play|go|walk|run in|into *on|the|a|busy traffic|highway|freeway
     do us|everyone|the|yourself|me|society|humanity ~2 favor|favour ~3 die|disappear|kill|jump|drown|hang|overdose|dead|exist
     better|nobody|noone|no|everyone *one|off|if|would|you|will|were|care|be|cares|notice|happier|happy|was|cry|celebrate|party dead|died|killed|suicide
     your|you *mother|mom|parents|mum|dad should|must *have|just|@adv|never|been|be|get|had|not aborted|abortion|swallowed|stillborn|euthanized|born
     why *do|did|have|are|has|can|you|not|still|just|even|nobody|someone *you|just|go|not|even|please|still kill|breathing|alive|die|killed|dead|exist *yourself|you|already|$
     please|just|hurry|you *go|and|up|and|already|@adv|should|need|to|must|deserve|die|do|us|all die|overdose|suicide *already|slowly|alone|you|now|in|and|a|horribly|painfully|please|of|to
     nobody|noone|everyone|no *one|would|will|even|ever|at|your|funeral|is|going|to miss|mourn|funeral *you|when|if|your|will|would you|empty|funeral|dead|party
     get|go|be|getting raped|cancer|aids *by|and|you|to|in
     rot in|alone *hell|prison|a|the|jail hell|prison|jail|grave|ditch|alone|you`,
  ),
]
