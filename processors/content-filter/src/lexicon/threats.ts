import { type Rule, rulesIn } from './rule.ts'

/** Rules for announced or wished violence against a person. */
export const THREATS: readonly Rule[] = [
  ...rulesIn(
    'en',
    { threat: 0.94, toxicity: 0.94, severe_toxicity: 0.46 },
    `@mine ~1 @will
       + *to|just|personally|have|be|i|god|@adv|come|over|and|there|find|you|hunt|down|get|then|track|go|like|enjoy
       |love @killing|killing *all|of|every|last|@adv @target
     @killing *every|all|of|each|the|those|these|@adv|fucking last|single one|@target|person
     put a bullet|knife|hole|axe|blade in|through *your|his|her|their|you|that
     slit|cut|slash *your|his|her|their|@adv throat|throats|wrists|neck|open
     cut off *your|his|her|their|@adv head|fingers|hands|ears|balls|dick|tongue|hand
     rip|tear|cut|chop|beat|knock|smash|kick|blow|bash *out|off|in|@adv|every|fucking your|his|her|their *@adv|fucking
        + head|throat|face|skull|teeth|limbs|spine|guts|tongue|balls|brains|jaw|kneecaps
     rip|tear|cut|chop off|out your|his|her|their heart|arms|legs
     kick|beat|knock|smack|slap|punch your|his|her|their *@adv|fucking|living
        + teeth|head|face|ass|skull|brains|nose|jaw
     beat|kick|knock|scare the *living|fucking|absolute|actual shit|hell|crap|daylights|piss out
     break|snap|smash|crush|shatter|wring|cave your|every *@adv|both|in
        + neck|legs|bones|bone|arms|kneecaps|fingers|face|skull|spine|ribs|jaw|nose|head|teeth|knees
     burn|blow|torch|bomb *down|up your|his|her|their *whole|entire
        + house|home|school|building|office|church|mosque|synagogue|car|family|apartment|shop|company|headquarters
        |store
     @will|to burn|blow|shoot|bomb *down|up the|this|that *whole|entire
        + house|home|school|building|office|church|mosque|synagogue|place|company|headquarters|station *down|up
     school|office|mosque|church|synagogue|airport is|will *be|getting|going|get|to bombed|burned|attacked|shot
     shoot|blow|bomb up *the|your|that|this|my|whole school|office|place|house|building|mall|class|concert
     bring|bringing|brought *a|my|the|an gun|rifle|ar15|bomb|shotgun|weapon|glock|knife to *the|your|his|her
        + school|work|office|class|church
     i|we have *a|my|the gun|knife|bomb|rifle|weapon|shotgun|machete ~3 you|your|name
     bury|buried you *body|alive|in|under|the|somewhere|where|nobody
        + alive|backyard|desert|woods|forest|basement|ground|find|shallow
     i|we *@will|am|to|just|find|you|and|be|have|come|over
        + rape|raping|gut|skin|behead|dismember|torture|strangle|decapitate|disembowel *@adv|and
        + you|your|him|her|them|every
     rape *you|your|her|him|@adv|and|little you|your|mother|sister|wife|daughter|kids`,
  ),
  ...rulesIn(
    'en',
    { threat: 0.88, toxicity: 0.86, severe_toxicity: 0.2 },
    `@mine ~1 @will
       + *to|just|personally|have|be|i|god|@adv|come|over|and|there|find|you|hunt|down|get|then|track|go|like|enjoy|so
       |love @harm|hurting|beating *all|of|every|last|@adv|the|living|shit|hell|crap|out|up|with|my|bare|hands
       + you|yourself|yall|bitch|bitches|bastard|bastards|motherfucker|fucker|fuckers|pigs|him|her
     i am|are|be coming|here to @harm|get *all|of|every|last|@adv @target
     @will|to @harm your *@adv|whole|entire|little @body
     i|we *@will|am|to|still|already|do|just|now|finally know|found|remember|find *out|exactly where|which|what
        + *school|street|car|route|bus|way|time you|your
        + *and|family|kids|children|daughter|son|wife|mother|husband|sister|parents|always|all
        + live|lives|sleep|sleeps|work|works|park|parks|go|goes|walk|walks|attend|attends|take|takes
     watch|watching your *@adv back|house|kids|family|window|every
     sleep with one eye open
     lock your *doors|door|windows tonight
     you *@will|are|is|all|@adv|be|just|so|as|good|already dead|toast
        + meat|man|to|when|if|after|by|tonight|tomorrow|soon|kid|bitch|woman|boy|$
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to regret|suffer|bleed|scream|beg|rot|die $
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to regret|suffer|bleed|scream|beg|rot|sorry
        + *for|this|that|it|ever|the|day|in|you|crossing|messing|doing|saying|what|like|slowly|tonight
     you *will|going|are|to|all|soon|definitely|@adv|be|live will|going|to die
        + *soon|tonight|screaming|slowly|tomorrow|today|here|painfully|for|like|alone|bitch
        + tonight|slowly|screaming|soon|for|like|painfully|bitch|tomorrow
     you *will|going|are|to|all|@adv|be will|going|to burn|rot in hell
     make|making|see|watch|watching you|your *@adv|family|all|both|kids pay|regret|suffer|bleed|scream|beg|burn|crawl
     you *all|both will|going *to pay for this|that|what|it|with
     pay for *this|that|it with your
     pay dearly
     you *will|going|to|are|might|all be|end|wake|wind *found|up|dead|face|down
        + ditch|hospital|grave|river|morgue|coffin|wheelchair|alley|trunk|dumpster|woods|bodybag
     you *will|going|to|are|might|all be|end|wake|wind *found|up|dead|face|down in|at *a|the|some|an|your
        + ditch|hospital|grave|river|morgue|coffin|wheelchair|alley|trunk|dumpster|woods|bodybag
     prepare|ready|about|time for|to|you die|bleed|suffer tonight|today|now|here|$
     have|know|got|found your *home|work|parents|wife|new|exact|ip address|addresses
     mosque|mosques|church|churches|synagogue|synagogues|school|parliament|capitol|headquarters|building|office
        |hospital|clinic|embassy ~6 should|must|deserves|needs *to|be|get|all
        + burned|burnt|bombed|blown|razed|torched|shot
     not live|be|alive|around|here *alive|around|here to see
     what is coming to you|him|her|them
     outside|behind|at|to|find|visit|see|meet|waiting ~1 you|your ~4 with *a|my|the|an|baseball|loaded|big|few
        + bat|gun|knife|rifle|axe|machete|crowbar|hammer|shotgun|bullet|gasoline|petrol|chainsaw|pistol
     have|got|found your *home|new address ~6 way|visit|coming|soon|tonight|over|there
     or *i|we|will|@adv your|his|her *@adv @body|girl|boy|baby|life|business|reputation *get|gets|will|is|be|are
        + hurt|dies|dead|die|killed|suffer|suffers|shot|hurt|gone|over
     see|ensure|make|making|made ~4 you|him|her|they|them suffer|bleed|regret|scream
     find|finding|found *your|his|her body|corpse|remains *floating|buried|dead|your|lying|somewhere
        + in|under|at|behind|by
     identify your|his|her body|corpse|remains
     teach|show you|him|her|them a lesson you|he|she|they
     make|making you|him|her an example
     bullet|target|bounty *with|on your name|back|head
     i|we *have|will|got|know|can friends|people|guys|men who|that *will|can|would take|visit|pay|deal|care
     nobody|noone|no *one|body|will|would|is|going|to|ever|even find|hear you|your *body|remains|screams|scream|corpse
     will be the end of you|him|her $
     dead to|if|when you|i|we *ever|see|find|catch
     your|his|her|their kids|children|family|wife|daughter|son|mother|house|friends|dog will|are|is not|never be safe
     @mine ~1 @will *to|just|@adv|go|really|love kill|murder|stab|shoot|strangle|beat|punch|choke|poison *@adv|up
        + my|this|that|the *@adv|ex|next|whole
        + boss|coworker|colleague|neighbor|neighbour|teacher|wife|husband|girlfriend|boyfriend|ex|landlord|manager
        |roommate|mother|father|brother|sister|family|guy|woman|man|bitch|bastard|class|judge|president
     you are next|history $
     you are finished|dead $
     your family|kids|wife|mother|house|turn is|are next
     coming for|after you|your
     hunt|hunting|track|tracking|run|runs|gun you|him|her *all|your|family down|over *like|and|with|one
     find|found|catch|corner|get you ~3 and|i|alone|dead|will|outside ~5
        + kill|hurt|beat|regret|sorry|pay|alley|dead|bleed
     if|when i|we *ever|@adv see|catch|find|get *hands|my|on you|your *face ~6
        + dead|regret|hospital|sorry|grave|bleed|teeth|kill
     or else i|we|you *will|are|going|gonna|to
     or i|we will|am *going|to|@adv @harm|hurt|kill you|your|him|her|them
     your *@adv|days|hours|time|whole|life|kids|children|last|entire family|days|blood|life|kids|children|head|hours
        + *@will|is|are|going|be|on|all|to|would numbered|die|pay|spill|suffer|dead|ashes
     last|final thing|day|breath|night|words|meal *you|on|of|your|that|i|will|ever|let|is ~1
        + see|do|earth|take|alive|life
     not *live|make|be|around to see|alive tomorrow|tonight|another
     you will|are *going|to not|never *@adv|to|going|be|live|able walk|breathe|wake|see|leave ~2
        + again|tomorrow|up|alive|morning|sunrise|birthday|christmas
     put|send you|your *up|ass|all|both|back|straight in|into|to|inside|six *a|an|the|feet
        + hospital|grave|ground|coffin|morgue|wheelchair|ditch|icu|cemetery|bodybag|intensive|river|under
     dance|piss|spit|dancing on your|his|her|their *@adv grave|graves|corpse
     end|ruin|destroy your *@adv|whole|entire|miserable life|career|family|existence
     shame|pity|unfortunate|sad|terrible|awful if *something|anything|someone|your|were|was|bad|happened|to
        + happened|hurt|fire|accident *to|happen|an|in|your|on|caught|him|her your|you|them|family|fire|accident
     not hesitate|rest|think|stop ~4 @killing|dead|killing|hurting|hurt|shooting|shoot
     looking|look over your shoulder
     better run|hide|pray|beg *because|before|and|when|tonight
     say your prayers
     kiss|say *your goodbye|goodbyes to your family|kids|life|legs|teeth|wife|house
     someone|somebody|people|they|we|he|she|you|whoever|everyone|anyone|all|those|author|developer|politician
        |politicians|judge
        + *all|of|them|made|wrote|did|did|this|that|who|responsible|involved|just|really|definitely|both
        + should|ought|must|needs|need|deserves|deserve
        + *to|all|be|get|been|have|just|@adv|taken|out|and|dragged|lined|up|against|a|wall
        + killed|murdered|slaughtered|strangled|stabbed|shot|beheaded|hanged|hung|raped|gutted|tortured|butchered
        |exterminated|lynched|gassed|drowned|crucified|castrated|beaten|burned|burnt|die
     someone|somebody should|needs|ought|must *to|just|please|@adv|go @harm you|him|her|them|these|those
     keep talking|pushing|running ~5 see what happens
     see what happens to you
     wait till|until i|we find|catch you
     wait *till|until i|we get my hands
     lynch|crucify|behead|decapitate him|her|them all|both|$
     accident|accidents *can|do|will|could|may|might happen to you|people
     bullet|bullets|knife|noose|rope with|has your|his|her name
     enjoy your last *few|remaining|final days|hours|breath|meal`,
  ),
  ...rulesIn(
    'en',
    { toxicity: 0.95, severe_toxicity: 0.64, threat: 0.56, insult: 0.7 },
    `kill|hang|shoot|drown|neck|off|rope|stab|unalive|gas|poison yourself|urself|yourselves
     kys|kysnow|killyourself|keepyourselfsafe
     slit|cut your *own|fucking|damn wrists|throat
     go *and|fucking|please|ahead|just die|hang|drown|choke|rot
     die in|already|slowly|painfully *a|the|hell|an|fire|horribly|some fire|hell|you|pain|agony|ditch|gutter|please
     hope|wish|pray|praying|hoping|wishing
        + *that|you|he|she|they|your|all|and|both|kids|children|family|mother|whole|entire|someone|somebody|gets|get
        |would|will|one|day|really|his|her|their|@adv *get|@adv|will|in|a|got|be|by|die
        + die|dies|died|cancer|raped|rot|choke|burn|burns|suffer|suffers|dead|aids|killed|stabbed|shot|murdered|drown
        |perish
     hope|wish|pray ~3 bus|car|truck|train|someone|somebody ~1 hits|runs|kills|hit|run|kill you
     beat you ~3 pulp
     hope|wish ~2 runs|run you over
     jump *off|from|out of *a|the|tall|nearest bridge|cliff|building|roof|window
     throw yourself off|from|in|under|out *front|of|a|the|moving|tall
        + bridge|cliff|building|train|bus|roof|traffic|window
     ^ drink|eat|swallow|gargle|chug *some|a|bottle|of|the|glass bleach|cyanide|poison|antifreeze|bullet
     go|please|and drink|eat|swallow|gargle|chug *some|a|bottle|of|the|glass bleach|cyanide|poison|antifreeze|bullet
     play|go|walk|run in|into *on|the|a|busy traffic|highway|freeway
     do us|everyone|the|yourself|me|society|humanity ~2 favor|favour ~3
        + die|disappear|kill|jump|drown|hang|overdose|dead|exist
     better|happier *off|if|with|you|was|were dead
     your|you *mother|mom|parents|mum|dad should|must *have|just|@adv|never|been|be|get|had|not
        + aborted|abortion|swallowed|stillborn|euthanized|born
     why do|did|have|are|not *do|still you *not|still|just|even|go|just kill|breathing|alive|die|dead|exist
     please *just|go|and|already die|overdose
     just|hurry go|and|fucking|up *and die
     you *all|both deserve|need *to die
     nobody|noone|one will|would *ever|even miss|mourn|cry *for you
     ^ get *raped|cancer|aids $
     go|you get *cancer|aids raped|cancer|aids
     rot in|alone *hell|prison|a|the|jail hell|prison|jail|grave|ditch|alone|you`,
  ),
]
