import { type Rule, rules } from './rule.ts'

/** Swearing and vulgar words for the body and sex; who they are aimed at is the insults' matter. */
export const PROFANITY: readonly Rule[] = [
  ...rules(
    { obscene: 0.9, toxicity: 0.8 },
    `fuck|fucking|fucked|fuckin|fucks|fucker|fuckery|clusterfuck|mindfuck|fuckup
     motherfucker|motherfucking|cocksucker|cocksucking
     cunt|cunts|cunty|twat
     blowjob|blowjobs|handjob|rimjob|jizz|cumshot|cumdump|cumslut|creampie|gangbang|bukkake|buttfuck|assfuck
        |deepthroat
     suck|sucking|lick my|his|your dick|cock|balls|ass|pussy
     shitting|shithead|shitface|shitbag|shitstain|dipshit|dumbshit|bullshit|horseshit|batshit|dogshit|chickenshit
        |shitty|shithole|shite
     pussy|pussies|fanny hole|licker|juice|lips
     wet|tight|your|grab|eat|her pussy|cunt
     big|hard|huge|your|his|my|suck|throbbing|fat cock|dick|boner
     dick|cock pic|pics|sucker|sucking
     tits|titties|boobies|titty
     asshole|assholes|arsehole|arseholes|asswipe|asshat|assclown|asslicker|dickhead|dickheads|dickweed|dickwad
     bitch|bitches|bitching|bitchy|sonofabitch
     slut|sluts|slutty|whore|whores|whoring|manwhore
     wanker|wankers|wanking|wank|tosser|bellend|knobhead
     eat [a] bag of dicks
     kiss|lick|bite my ass|arse
     shove|stick|stuff it|that|this|them|your ~4 up your ass|arse|asshole
     fap|fapping|jerk|jack off to
     dildo|buttplug|milf|gilf`,
  ),
  ...rules(
    { obscene: 0.8, toxicity: 0.62 },
    `     fucksake|gtfo|stfu
     what the hell|heck|damn is|are|was *all|kind|sort|of|the|a this|these|that ~2
        + crap|garbage|trash|rubbish|nonsense|bs
     rat|rats ass|arse
     piss off|yourself
     pissing me off
     bugger off
     sod off
     goddamn|goddam|goddammit|goddamnit
     bollocks|bollock
     son of a bitch
     dumbass|jackass|fatass|smartass|lardass
     your|lazy|fat|dumb|sorry|stupid|ugly ass
     ass|arse of yours
     douchebag|douchebags|douche|douchenozzle
     horny|slutwhore|nympho`,
  ),
  ...rules(
    // Swearing at nobody: a stain, a printer, a prince.
    { obscene: 0.4, toxicity: 0.3 },
    `shit|shits|bastard|bastards|prick|pricks|ass|arse|asses|wtf|omfg|lmfao|fml
     crap|crappy|piss|pissed|damn|damned|dammit|bloody|screwed|frigging|freaking|effing|frickin
     dick|cock|boobs|boob|porn|balls|tit|cum|knob|tool|boner
     hell
     sucks|suck`,
  ),
]
