import { type Rule, rulesIn } from './rule.ts'

/** Rules for insults to or about a person. */
export const INSULTS: readonly Rule[] = [
  ...rulesIn(
    'en',
    { insult: 0.92, toxicity: 0.92 },
    `you are *@adv @insultNoun
     you are ~3 @strongNoun
     you *@adv @insultNoun
     your *@adv @insultNoun self
     you are *@adv|just|being|acting|looking|sounding @directAdj
     you absolute|utter|complete|total|stupid|dumb|filthy|fucking|pathetic|worthless|ugly|disgusting|miserable ~1
        + @insultNoun|@insultAdj|excuse|piece|waste
     you ~1 piece of shit|crap|garbage|trash|filth|work|turd
     piece of shit|filth
     sack|pile|bag|heap|lump of shit|crap|excrement|turd
     you *are|@adv sack|pile|bag|heap|lump of garbage|trash|dung
     waste of oxygen|air|skin|sperm|breath|flesh|carbon
     you|he|she|they are|is *@adv waste of space
     you|he|she|they are|is *@adv|by|far|single dumbest|stupidest|ugliest|laziest|fattest|nastiest|vilest
     what|which kind|sort|type of *@adv @nasty
     pathetic|sorry|sad|poor|miserable|worthless|lousy excuse for|of
     shut [the|your] *fuck|fucking|hell|up|stupid|dumb|ugly|dirty|filthy|whore|fat|big|your
        + mouth|trap|hole|face|pie|cake|fuck|piehole|cakehole|gob
     fuck|screw you|off|yourself|him|her|them
     fuck your|this|these|those|all ~2 @insultNoun|@person|opinion|feelings|mother|mom|family|you
     go *and|straight|right|back|to hell
     go *and fuck|screw yourself
     go to hell|die
     i hope you ~2 rot|burn|suffer|choke|die|starve
     fucking @insultNoun|@insultAdj|@strongNoun|@person
     motherfucker|fucker|fuckers|dumbfuck|fuckwit|fuckface|shithead|shitbag|asshat|asswipe|dickhead|dickheads
        |cocksucker|twat|wanker|wankers|arsehole|asshole|assholes|cunt|cunts|dipshit|dumbass|jackass|fatass|douchebag
        |douchebags|scumbag|scumbags|prick|tosser|bellend|knobhead|pillock|shitstain
     bitch|bitches|slut|sluts|whore|whores|skank|hoe|hoes|thot|thots|slag
     son|sons of a bitch|whore|bitches
     your ~1 mother|mom|mum|mama|momma is|was|should|must|sucks|dropped|regrets|wishes
     eat shit|dirt
     suck my|a|on|it
     lick|kiss|eat my ass|balls|boots|arse|boot|dick
     inbred|subhuman|braindead|troglodyte|mouthbreather|mouthbreathers|smoothbrain|brainlet|neckbeard|lardass|fatso
        |crackwhore|numbnuts|asslicker|bootlicker
     keyboard warrior
     kiddo|buddy|sweetheart|moron|idiot shut up
     @directAdj|clueless *@adv @nasty
     die *in|a|alone|already|slowly|fire|you @insultNoun`,
  ),
  ...rulesIn(
    'en',
    { insult: 0.78, toxicity: 0.78 },
    `you are *@adv @insultAdj
     you *@adv @insultAdj @person|@insultNoun
     your *@adv face|body|brain|voice|teeth|breath|nose|looks is|are|makes|looks *@adv
        + @insultAdj|me|like|sick|offensive
     i hate|despise|loathe|detest you
     hate you so|all|with|and
     hate your guts
     you|he|she|they disgust|sicken|repulse|revolt|nauseate me|us|everyone
     you *really|just|all|seriously|fucking|totally suck|stink|sucks $|at|so|ass|balls|and|bot
     you|your|face|voice *@adv makes|make|making me|us|everyone *want|to|physically|@adv puke|sick|vomit|gag
     nobody|everyone|everybody|noone|one
        + *here|will|would|could|ever|even|actually|really|in|your|family|school|office|team
        + likes|like|loves|love|wants|want|hates|hate|respects|respect|miss|stand you
     everyone|everybody laughs|laughing at you
     who would|could|will|can ever|even|possibly love|want|date|marry|hire you
     ^ get lost
     get a life $|you|loser
     get out of my sight|face
     get ~1 fuck out|off|away|lost
     crawl|slither back *in|into|to|under|the|your|whatever|that
        + hole|rock|cave|swamp|sewer|basement|mom|moms|slimed|bridge
     go ~1 back *in|into|to|under|the|your|whatever hole|rock|cave|swamp|sewer|basement|zoo|bridge
     bet|say you ~3 virgin|basement|friends
     you *are|@adv too *@adv stupid|dumb|dense|thick|ugly|fat|ignorant|moronic|retarded to|for|even
     you|he|she are|is so *@adv dumb|stupid|ugly|fat|dense that|your|even|it|you
     you|he|she|they|your are|is|brain *even|@adv|way|much|far|somehow|both dumber|stupider|uglier|fatter than
     dumb|dumber|stupid|useless|sharp|smart as|than *a|the|two|bag|box|of|sack|your|short
        + rocks|rock|brick|bricks|hammers|stump|doornail|doorknob|shit|post|potato|toaster|goldfish|hell|teapot
        |ashtray|mule|dirt
     thick as *two|short planks|shit|mince
     your|have|has|got|with *the|a|@adv brain|brains|intelligence|iq|intellect|personality|charm
        + *the|size|of|a|is|smaller|than|an|level
        + wet|peanut|pea|walnut|goldfish|rock|ant|amoeba|potato|toddler|flea|brick|shoe|sock|cardboard|worm|houseplant
        |turnip|doorknob|snail|gnat|squirrel
     you|he|she|they|guy *just|really|clearly|obviously|both|all|seriously|literally lack|lacks *any|a|all|the
        + brain|brains|spine|balls|clue|talent|shame|dignity|class|friends|morals|backbone
     you|he|she|they|guy *just|really|clearly|obviously|both|all|seriously|literally have|has|got
        + *absolutely|literally no|zero
        + brain|brains|spine|balls|clue|talent|shame|dignity|class|friends|morals|backbone
     no brain|brains|spine|balls|backbone|soul|talent
     dropped on your|his|her ~1 head
     what|something is wrong with you
     what a|an *@adv|such @nasty|disgrace
     what a|an *@adv @directAdj @person|@nasty|thing|excuse|waste
     such a|an *@adv @nasty|disgrace
     typical|another|bloody|damn|goddamn|absolute|utter|complete|total|stupid|dumb *a|an|the|@adv @nasty
     this|that|these|those|them *@adv @nasty
     he|she|they|these|those|them is|are|was|were *@adv @nasty
     he|she is|was *@adv @harshAdj|trash|garbage|scum|filth|vermin
     @person|@third is|are|was|were *@adv @strongNoun
     is|are|was|were *@adv @strongNoun
     bunch|pack|load|lot|gang|herd|collection|circus|nest of *@adv @nasty|clowns|trash|scum|cowards
     @harshAdj *little|old|fat|ugly|lazy|fucking|dirty @person
     you|your *@adv|are @directAdj *little|old|fat|ugly|lazy|fucking|dirty @person
     @strongNoun $
     ^ @strongNoun
     @strongNoun like|who|go|get|shut|learn|stop|deserve|keep|can|could|would|should
     an|a|by|some|any|every|these|those|all|you|with *@adv @strongNoun
     world|planet|earth|place|humanity|society|everyone|us|team *all|would|will|is|be|much|far|a|lot|places better
        + without|off|if|place|once *without|you|when|if|were|was you|died|dead|gone|exist
     you are|should *be|@adv|nothing|not|the a|an|to|be
        + embarrassment|disgrace|nobody|nothing|ashamed|failure|mistake|joke|worthless|accident|garbage
     shame on you
     more|better|higher|greater|less
        + brain|brains|iq|intelligence|personality|sense|talent|class|charisma|skill|dignity than
        + you|him|her|them|your
     dropped you|him|her ~1 on|as ~2 head|baby
     you could|can|would not *even|ever
        + pour|find|spell|tie|count|boil|organize|fight|punch|win|argue|outsmart|manage|lead|beat ~6
        + boot|bag|shoes|shoelaces|water|brewery|hands|name|ten|egg|map|directions|toddler|houseplant|circus|lemonade
        |sentence
     you are|were *@adv nothing $|and|but|to|without|compared|special|never
     you|your ~3 like|as
        + *a|an|some|drunk|blind|dead|dying|retarded|trained|wounded|three|year|old|sick|deaf|fat|wet|rotting|rotten
        + monkey|pig|cow|whale|donkey|ape|hippo|walrus|troll|corpse|chimp|chimpanzee|gorilla|sewer|garbage|dumpster
        |toilet|shit|trash|hobo|clown|toddler|ass|death|feet|fish
     your *@adv|own|whole mother|family|parents|mom|kids|children|dog|friends|father|dad|wife|husband|cat|mum
        + *can|could|does|do|would|probably|will|ever|even not *even|actually|really|to|be
        + stand|love|like|want|bear|respect|near you
     your *@adv|own|whole mother|family|parents|mom|kids|children|dog|friends|father|dad|wife|husband|cat|mum
        + *must|probably|is|are|even|actually|just|secretly|all|really|should|be
        + hate|hates|ashamed|avoid|avoids|despise|despises|embarrassed|disappointed|regret|regrets
        + *of|by|to|be|in|having you
     everything *that|which|is wrong with you|him
     your *@adv|sheer|own|total
        + stupidity|ignorance|incompetence|idiocy|laziness|ugliness|arrogance|worthlessness|foolishness|mediocrity
        |insignificance
     you *look|@adv|really|just|always|also|probably smell|smells|stink|stinks|reek|reeks
     as ugly|stupid|dumb|fat|useless|worthless|pathetic|incompetent|ignorant|clueless|lazy|disgusting|thick as
        + you|him|her|them|he|she|they|your
     your face *could|would|should|can|is|alone|just makes|make|scare|scares|break|breaks|crack|cracks|looks
        + *onions|babies|children|people|mirrors|me|like|a|small|horses|small
        + cry|mirror|mirrors|vomit|sick|run|children|babies|ass|butt|puke|accident|crash
     you *stupid|fucking|worthless|little|absolute|ugly|dirty|useless|lazy|pathetic piece|pieces of
     you are *@adv|officially|the|single|by|far worst *@adv|single|human
        + @person|excuse|employee|father|mother|friend|programmer|being
     live|living|lives|dwelling *in|your|his|her|moms|mothers|parents|mother|mom|mommys|the|with basement
     basement dweller|dwelling|dwellers
     you absolute|utter|colossal|massive|total ~1 $
     everything|nothing|something about you|him|her|your *face|life|job|screams|is|are|@adv @insultAdj
     corrupt|greedy|lying|filthy|disgusting|selfish|sexist|racist|crooked|rotten
        + pig|cow|rat|snake|weasel|ape|donkey|pigs|rats|snakes|hyena|vulture|vultures
     you|he|she *are|is|@adv fat|lazy|stupid|dirty|ugly *@adv pig|cow|rat|snake|weasel|ape|donkey
     you are|were *@adv waste of
     two|few|single|one|three|half|functioning|working|remaining|last|missing ~1 brain cell|cells
     thing you could|can do ~6 is *to|just|simply disappear|die|vanish
     never|not open your *@adv|big|fat mouth
     do us|everyone|the|yourself|me|society|humanity ~2 favor|favour *and|by ~1
        + shut|stop|quit|leave|delete|resign|go|never|unplug
     brain|face|voice|mind|attitude|iq|skills|looks|personality like yours
     going on *up|in|inside|between your|those *two|little|tiny|empty|thick ears|head|skull|brain
     hey|sure|ok|okay|listen|congratulations genius|einstein|sherlock|brainiac|buttercup
     village|resident|local|office|useful idiot|idiots|moron|clown
     the *@adv @strongNoun who|that|is|back|again|in|behind|next|running|at|on|writing
     @person|he|she|author|support|agent is|are *@adv hack|fraud|charlatan|quack|phony|crook|joke|embarrassment|weasel
     f you $
     go f yourself
     hate you $
     nobody|noone|no *one|body|ever|has|here asked *you|for|your
     only a|an *@adv|complete|total person|man|woman|@nasty *would|could|can
     you bring|brought|bringing *nothing|@adv|everyone|shame|to nothing|shame|down
     you *are|should|will always|never *be|have|been|will|not|a|an
        + failure|loser|nothing|disappointment|mistake|burden|unwanted|alone|virgin|joke
     biggest|greatest|worst|huge|complete|total|such disappointment|embarrassment *of|to|in|as|your
        + *a|the|your|my|human|whole person|family|mother|parents|man|human|humanity
     you *@adv were|are a mistake|accident
     you|he|she *are|is|@adv too stupid|dumb|dense|thick|ignorant|moronic
     the|your|his|her *@adv|mental|intellectual|emotional|attention|maturity
        + capacity|intelligence|maturity|iq|span|depth *and|charm|of|a|as|an|the ~1 of|as
        + *a|an|the|single|celled|dead|rotten|brick|wet
        + peanut|toddler|rock|brick|goldfish|potato|amoeba|squirrel|ant|worm|turnip|toaster|houseplant|puddle|teaspoon
        |sponge
     disgrace to|for *the|your|this|all|human|our family|race|humanity|species|country|profession|mankind|uniform
     you deserve ~3 die|suffer|nothing|alone|pain|cancer|misery|rot|fired|hell|lonely
     die alone|virgin|lonely
     wish you *were|was|had|would|never|been|not|just dead|born|die|disappear|exist
     waste|wasted of *my|everyone|our|time|a|tax|taxpayer|and|valuable oxygen|air|skin
     clown|clowns like|you
     get *the hell|fuck away|out|off *of|here|from|my|me|us
     keep|get|take your *ugly|filthy|dirty|grubby face|hands|paws off|out|away
     mouth breather|breathing|breathers
     no life|friends loser
     cry about|more|harder|me *it|a|some|river baby|crybaby|loser|snowflake|snowflakes|libtard
     you *will|would|are|can|could never|not *ever|@adv amount|achieve|succeed|be *to|a|at|in
        + anything|nothing|shit|girlfriend|laid|loved`,
  ),
  ...rulesIn(
    'en',
    { insult: 0.62, toxicity: 0.62 },
    `shut up
    ^ shut it $
     people|someone|anyone|anybody like you are|is|should|make|ruin|deserve|disgust|never
     like you are *@adv why|problem|reason|everything|ruining|what
     you call *that|this|yourself *a|an ~1 @insultNoun|joke|writing|music|art|cooking|work
     you think *that you|yourself *are ~1 funny|smart|clever|intelligent
     how|why *can|could|do|the|hell|fuck|on|earth|did|are|come|so|is he|she|you|someone|anyone|one
        + *be|so|this|that|always|really|@adv stupid|dumb|moronic|idiotic|ignorant|clueless|incompetent|pathetic
     your *@adv|so|called
        + opinion|opinions|work|code|writing|music|art|existence|life|ideas|idea|contribution|argument|arguments
        |presence|cooking|singing|comment|comments|post|posts|videos|content|channel|face|effort|presentation
        + *is|are|was|were|@adv|like|looks|sounds|reads
        + worthless|garbage|trash|pathetic|stupid|dumb|joke|irrelevant|meaningless|laughable|shit|disgusting
        |ridiculous|moronic|idiotic|useless|embarrassment|insult|rubbish|pointless
     my|his|her|our|their|the
        + boss|manager|teacher|neighbor|neighbour|ex|coach|president|landlord|mayor|minister|referee|ref|senator
        |coworker is|was *@adv @nasty|@harshAdj
     @nasty|people|trash|garbage|scum|filth|vermin|pigs|animals|idiots|parasites like you|him|her|them
     you and|or|with your *@adv|little|whole|entire|friends|family|team|kind|company @insultNoun|are
        + @insultAdj|@insultNoun
     get over yourself
     nobody|noone|one asked|cares *about|for what|your|you *opinion|think
     drop dead
     grow up|a|some you|loser|spine|pair|brain|balls
     go cry|touch|play|jump|drown|hang|eat *in|to|off|a|your|the mommy|mama|mom|traffic|cliff|bridge|bleach|grass
     learn [how] to read|write|spell|drive|think|code|cook you|@nasty
     are|were you *really|just|actually|seriously|that|this|some|kind|of|born|always|a|an|so|or|naturally|being
        + stupid|dumb|retarded|blind|idiot|moron|deaf|illiterate|brainless
     how *much|many ~2 can|could you|he|she ~3 stupid|dumb
     screw you|him|them
     ^ bite me
     you make|made|are|look *me|us|@adv|like|wanna|want|to
        + ugly|puke|sick|vomit|cringe|repulsive|clown|pig|cow|whale|troll|ogre|corpse|trash|garbage
     ugly|fat|dumb|stupid|lazy ass|bitch|hag|bastard|whore|hoe|slob
     loser|losers|moron|idiot|coward $
     laughing|laughs|laugh at|stock *you|of|the
     suck|sucks at *your|everything|life|being|job
     not even @third ~2 love|loves|like|likes you`,
  ),
  ...rulesIn(
    'en',
    { insult: 0.42, toxicity: 0.38 },
    `@strongNoun
     loser|losers|coward|liar|creep|weirdo|freak|hypocrite|bastard|moron|idiots|crybaby
     stupid|dumb|pathetic|worthless|disgusting|ugly|moronic|idiotic|useless|incompetent|braindead
     i hate
     go away`,
  ),
]
