import { harmless, type Rule } from './rule.ts'

/**
 * Phrases whose words are harmless together: computing, sport, kitchen, medicine, names, talk about words, talk about
 * oneself.
 */
export const HARMLESS: readonly Rule[] = [
  // Family names after a title. Place names after a train, a village, a street.
  ...harmless(
    `mr|mrs|ms|dr|prof|herr|herrn|frau|monsieur|madame|mme|m|senor|senora|don|dona|familie|famille !@foulName
     train|trains|zug|tren|bus|flight|pub ~3 from|to|in|von|nach|de|a !@foulName
     village|town|city|ort|dorf|ville|pueblo|hamlet of|in|de|named|called !@foulName
     michael|fritz|roland|petra|jean|paul|pablo|hans !@foulName
     wochenende|urlaub|ausflug|hotel|unterkunft|weekend|trip|holiday|bahnhof|station|gare|estacion|hostal|vacaciones
        + *the|der|die|das|einen|une|un|una in|at|near|nach|a|en|to|de !@foulName
     !@foulName *de del|am|an|an|on|upon|sur|bei der|rio|la|rhein|donau|inn|sea|sierra|norte|sur
     !@foulName in|en|im azerbaiyan|sachsen|brandenburg|bayern|thuringen|savoie|asturias|galicia|franken|austria|osterreich|france`,
  ),
  // Animals whose names are also insults.
  ...harmless(
    `!jackass|!jackasses penguin|penguins|donkey
     blue|red|brown|masked *footed !booby|!boobies
     what|which|where|do|great|blue|coal|marsh ~1 !tit|!tits
     !tits eat|live|nest|migrate|fly|feed|sing
     !cock|!cocks ~3 crow|crows|crowed|crowing|hen|hens|rooster|peck|pecks
     !boobies live|nest|breed|eat|fly|birds
     old|does|do|can|may|should|how ~2 a|the|my|our !bitch get|eat|weigh|have|limp|whelp|breed|live
     my|our|a|the !bitch|!bitches limp|limps|is|has|gave|whelped|beagle|labrador|and ~6
        + dog|beagle|labrador|poodle|puppies|puppy|vet|walk|heat|years|pups
     bulldog|beagle|terrier|breeding|brood|pregnant|spayed !bitch|!bitches
     !bitch|!bitches ~3 heat|puppies|pups|litter|whelp|whelps|neutered|spayed|season|lactating|mate|mated
     !faggots ~8 gravy|butcher|butchers|peas|pork|mash|liver
     !retarded in|growth|development|grain
     !cabron|!cabrones ~6 cabrio|cabra|cabras|monte|rebano|ganado`,
  ),
  // Questions for a translation.
  ...harmless(
    `say|says|express|translate ~3 !hate|!kill|!shut|!drop|!@bad|!@insultNoun ~3 in|into @languageName
     in|is|does|do @languageName ~4 !@bad|!@insultNoun`,
  ),
  // Titles of works without quotation marks.
  ...harmless(
    `who|which ~1 wrote|directed|sings|sang|recorded|plays|composed|painted ~5 !@bad|!@insultNoun
     film|movie|book|novel|song|album|series|band|game|show|play|musical called|named|titled|entitled ~4
        + !@bad|!@insultNoun`,
  ),
  // Idioms of death and blows.
  ...harmless(
    `!dead
       + right|wrong|tired|sure|set|serious|easy|simple|last|end|line|beat|heat|ahead|against|drunk|calm|center|centre
       |keen|on|good|quiet|slow|certain|in
     !drop !dead gorgeous|simple|easy|fred|date|beautiful|delicious|funny
     why do|did|does|would ~4 !hate|!hated|!kill|!killed|!despise
     i|we !suck at
     quel|quelle|pauvre !idiot|!con|!conne|!imbecile|!idiote|!abruti|!debile|!nul je|j
     !pute|!putain de vie|temps|journee|boulot|metier
     de !puta madre|vida
     traje|vestido|color|pelo|gato|perro|cafe|te|vino|humor|mercado|agujero|zapato|zapatos|cinturon !negro`,
  ),
  ...harmless(
    `!kill|!killed|!killing|!kills|!execute|!hang|!abort|!shoot
       + *the|a|an|all|any|this|that|these|those|my|your|our|its|some|every|each|python|java|linux|windows|unix
       |background|running|stuck|old|hung|zombie|orphan|child|parent|docker|frozen|idle|long|worker|stale|remote|other
       |node|server|it|them @computing
     !kill|!killed|!killing|!kills
        + time|it|lights|two|switch|bill|command|signal|chain|zone|screen|floor|cancer|bacteria|germs|weeds|viruses
        |mosquitoes|ants|bugs|pests|mold|mould|fleas|ticks|lice|tumors|tumor|cells|engine|vampires|zombies|monsters
        |dragon|boss
     !kill|!killed|!killing|!beat|!crush|!crushed|!crushing|!destroy|!destroyed|!smash|!smashed|!murder|!bash
        |!slaughter|!burn|!attack|!end you|him|her|them|everyone|us|it [all] [so] in|at|on
        + [the|a|this|our|next|mario|call] ~3 @game
     !beat|!crush|!destroy|!smash|!slaughter you|him|her|them|everyone at|by
     !beat|!whisk|!crush|!smash|!chop|!cut|!whip|!burn|!burned|!shred|!grill|!skin|!gut|!stab|!hang|!choke|!drown
        + the|an|a|two|three|some|your|in|with
        + eggs|egg|butter|garlic|potatoes|meat|fish|chicken|cream|onions|tomatoes|batter|mixture|dough|almonds|salmon
        |sauce|calories|fat|pictures|picture|coat|clothes
     !kill|!murder|!die for a|an|some|that|this|coffee|chocolate|pizza|sushi|food|dessert
     dressed|license to !kill
     !kill ~1 with kindness
     !dying|!die|!killing|!killed of laughter|laughing|hunger|boredom|thirst
     feet|back|head|knees|shoes|legs|heels|suspense is|are !killing me
     !break|!cut|!drop|!hit|!give|!shoot|!catch|!slap you|him|her|them some|off|a|an
        + slack|check|message|text|email|line|call|note|deal|break|favor|favour|cheque|discount
     !kick|!kicked|!kicking|!kicks !ass|!butt
     !pain in the|my !ass|!arse|!butt
     !jack|!jenny|!wild|!the !ass and|mule
     !cut|!burn|!break|!skin|!strike|!hurt *your|his|her|their|my|the|a|any
        + hair|nails|losses|steak|cake|bread|costs|budget|record|records|habit|habits|news|ice|fast|down|balance|deal
        |sales|knee|feelings|grass|chances
     moby|philip|andy|cheney|tracy|grayson|van|deadeye|little|cliff|private|spotted !dick
     !dick cheney|van|tracy|grayson|clark|turpin|smith|wolf|whittington|francis|button|durbin|butkus
     !pussy willow|willows|cat|riot|galore|footed
     !cock and|a|of|fighting|crow|crows|pit|crowed|crowing
     !cock|!cocks !hens|roosters|hens|farm|feather
     weather|stop|ball|pet|turkey|hen !cock
     blue|coal|great|long|marsh|willow|crested|bird !tit|!tits
     !tit|!tits for tat
     !chink|!chinks in the|his|her|their|your|its|our|my
     maine !coon
     !coon cat|cats|hound|dog|dogs
     !spic and|n span
     !garbage
        + collect|collector|collectors|collection|collecting|truck|trucks|can|cans|disposal|bin|bag|bags|dump|man|day
        |in|out|pickup|values|value
     !trash can|cans|folder|bin|bag|bags|day|pickup|icon|removal|collection
     !dumb terminal|terminals|waiter|bell|bells|luck|phone|pipe|question|questions|idea|mistake|mistakes|thing|things
     !stupid
        + question|questions|idea|ideas|mistake|mistakes|thing|things|error|bug|thing|typo|rule|rules|game|computer
        |printer|machine|phone|song|hat|joke|jokes|movie|dog|cat|car|laptop|software|app
     !fire|!flame|!rust !retardant|!retarded
     !retarded growth|potential|time|motion|ignition
     !bastard sword|swords|toadflax|file
     cum|summa|magna !cum laude
     !cum laude
     !faggots and|in|with peas|gravy|onion
     bundle of !faggots|!faggot
     guinea|roast|suckling|spit|pot|piggy|pet|farm|baby !pig|!pigs
     lab|laboratory|mall|desert|pack|kangaroo|pet|brown|black !rat|!rats|!snake|!snakes
     !whale|!cow|!rat|!snake|!monkey|!dog|!worm|!toad|!sheep|!ape [is|are|was|were|can|has|have] ~2
        + species|habitat|animal|mammal|migration|milk|tail
     !master|!slave !slave|!master|database|replica|node|architecture|replication
     vacuum|pump|hose|straw|vampire|bugs|life|weather|this|that|it|which !sucks|!suck
     !burn|!burned|!burns|!burning [the|a|some] calories|rate|chart|cd|dvd|fat|fuel|candles|marks|injury
     !poison ivy|control|oak|pill|dart|frog
     !queer studies|theory|eye|community|literature|history|cinema|people
     !abo blood|group|incompatibility|type
     !spastic cerebral|diplegia|bladder|colon|quadriplegia|paraplegia|gait|hemiplegia
     !retard the|a|growth|spread|ignition|timing
     !cracker barrel|barrels|jack|crust|crumbs
     cheese|graham|fire|nut|water|salt|oyster|saltine|soup|code|password !cracker|!crackers
     !crackers and|with cheese|soup|dip
     !spook house|hunter
     !wop bop
     !absolute|!utter|!total|!complete|!massive
        + legend|star|hero|genius|queen|king|angel|gem|beast|champ|champion|babe|treasure|lifesaver|beginner|stranger
        |package|best|right|fan|thanks|respect|delight|professional|pro
     !bitch in heat|puppies|whelp
     !idiot proof|proofed|proofing|savant|guide|box|light
     !dyke|!dykes along|near|at|system|broke|holds|swarm|swarms|intrusion
     offas|the|sea|basalt|igneous|van|mafic !dyke|!dykes
     !pansy flower|flowers|seeds|plant
     !redskin potatoes|potato
     !jap blast
     tracking|ski|north|south|magnetic|light|tent|flag !pole|!poles|!polish
     nail|shoe|furniture !polish
     !white|!black paper|space|wine|list|box|hole|mirror|tea|coffee|friday|board|cat|dog|ice|pepper|bean|beans
     !hell of|yeah|kitchen|boy
     bloody !hell mary|sunday|good|brilliant|diarrhea|discharge|stool|nose|mary
     !bloody mary|sunday|good|brilliant|diarrhea|stool|stools|nose|marvellous|lovely|well|amazing|great|discharge
     !damn good|fine|near|right|well|close|thing
     !fat free|content|burning|cells|tissue|soluble|loss|percentage|acids|embolism|32
     saturated|trans|body|low|full|high|milk|unsaturated|dietary|visceral|excess|reduce|in|grams|less|more|as|of !fat
     !failure|!waste rate|mode|modes|to|of|in|management|water|disposal|analysis|point|message
     heart|renal|kidney|liver|respiratory|engine|power|test|login|system|disk|hardware|build|nuclear|medical|food
        |single !failure|!waste|!disease
     !joke about|book|for
     tell|tells|told|hear|heard|funny|good|knock|knock|dad|practical|inside|favorite ~1 !joke|!jokes
     !joke|!jokes about|of
     !cancer|!disease|!plague|!virus
        + patient|patients|treatment|research|cells|screening|diagnosis|therapy|risk|survivor|outbreak|vaccine
     !tool kit|kits|box|belt|chain|call|calls|use|bar|tip
     !hack|!zero|!drone|!witch|!nobody|!burden|!stain|!fool|!monster
        + trust|day|tolerance|footage|hunt|trial|knows|proof|remover|removal`,
  ),
  ...harmless(
    `i|me|myself was|am|feel|felt|look|looked|looks|sound|like|being|such|a|an|the|so|just|total|complete
        + *am|feel|felt|look|looked|looks|sound|like|being|such|a|an|the|so|really|just|very|total|complete
       |absolute|and|pretty|too|little|bit|of|kind|always|often|have|been|had|made|makes|think|thought|that
       + !@bad|@insultNoun|@insultAdj
     i|me ~2 like a|an ~1 !@bad|@insultNoun|@insultAdj
     made|makes|making|make me ~4 !@bad|@insultNoun|@insultAdj
     !kill|!hurt|!hate|!hang|!cut|!shoot|!stab|!harm|!killing|!hurting|!hating myself
     accused|suspected|convicted|charged|guilty|arrested|acquitted ~3 of|for|with ~3
        + !killing|!murder|!rape|!stabbing|!shooting|!attack`,
  ),
  ...harmless(
    `word|words|term|terms|slur|slurs|phrase|insult|insults|expression|epithet|profanity|surname|spelling
       + *like|such|as|is|the|a|called|to|means|of|for !@bad
     does|do|did|would !@bad mean
     meaning|etymology|origin|definition|history|pronunciation|translation of ~2 !@bad
     define|translate|spell|pronounce|censor ~2 !@bad
     say|says|translate|translation ~2 !@bad in english|german|french|spanish|italian
     !@bad is|are|was|as *a|an|considered|such|very|highly|the|not|often|sometimes|still|now
        + slur|offensive|derogatory|insult|swear|profanity|curse|vulgar|rude|pejorative|word|inappropriate|noun|verb
        |adjective|swearword
     called|calls|calling|call|calls|named|labeled|labelled
        + me|him|her|us|them|someone|somebody|people|my|anyone|others|each|women|students|employees
        + *a|an|the|as|son|daughter|friend|colleague|brother|sister|other|boss|wife|husband|fucking|stupid|names|like
        + !@bad
     was|were|been|being|got|get called *a|an|the|fucking|stupid|dirty !@bad
     called|told|said ~3 that|i|he|she|they am|was|were|is *a|an|such|so !@bad
     bullied|harassed|teased|mocked|abused ~6 !@bad
     not|never|stop|without|avoid call|calling|say|saying|use|using ~3 !@bad`,
  ),
]
