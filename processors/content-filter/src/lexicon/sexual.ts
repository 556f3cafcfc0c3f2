import { type Rule, rules, rulesIn } from './rule.ts'

/** Rules for sexual harassment. The rule must find the text after `#`. */
export const SEXUAL: readonly Rule[] = [
  ...rulesIn(
    'en',
    { obscene: 0.8, toxicity: 0.78, insult: 0.6 },
    `
    send|show|give|gimme me *some|your|more|a|pics|of nudes|nude|tits|boobs|ass|pussy|titties|cock|dick
       # Show me your tits
    sit|ride on my face|lap|dick|cock  # Sit on my face
    ^ blow me  # Blow me
    ^ suck|lick|ride it|me  # Suck it
    nice|sweet|hot|sexy|fine|tight ass|tits|rack|boobs  # Nice ass
    would|d tap|hit|smash that  # I'd tap that
    bet|know you are|is *so|all|already wet|horny|soaked  # I bet you're wet for me
    wet|hard|horny for me|you  # I am hard for you
    jerk|wank|jack off *while thinking|imagining *of|about you|her  # I jerk off thinking of you
    bend you|her|him over  # I'll bend you over
    spread your|those *pretty|sexy legs|thighs|cheeks  # Spread your legs
    on|get your|on *your knees and suck|beg|blow|open  # Get on your knees and suck
    pussy|cunt *is|all shaved|wet|tight  # Is your pussy shaved?
    touch|grope|squeeze|feel|fondle|grab your|her|those *big|sweet boobs|tits|ass|breasts|butt|thighs
       # Let me touch your boobs
    grope her|you|him  # I'd love to grope her
    take|strip off your|all *of|your clothes|panties|bra|top|shirt for me|daddy  # Take off your clothes for me
    strip for me  # Strip for me
    see you *all|completely naked|nude|topless  # I want to see you naked
    your panties|thong|underwear  # What colour are your panties?
    need|needs|want|deserve *a|you|good|hard|proper good|hard|proper fucking|fuck|shag|pounding|spanking
       # You need a good fucking
    dirty|naughty|bad girl|slut|boy for me|daddy  # Be a bad girl for me
    what|whats *you|is|have|under|got|underneath *that|your|the skirt|blouse|dress  # Show me what's under that skirt
    show|see ~5 under|underneath|beneath that|your skirt|blouse|dress|top|shirt  # Show me what's under that skirt
    want|love|going|like to lick|suck|taste|eat you *all|out|up over|everywhere|out|$  # I want to lick you all over
    great|good|wild|amazing in bed *want|come|you|babe|i|$  # I bet you're great in bed
    nice|sexy|hot legs *when|what do|time they|do open|spread  # Nice legs, when do they open?
    your naked|nude body|ass|pictures|pics  # I want to see your naked body
    sleep with me or|and|if  # Sleep with me or lose the job
  `,
  ),
]

/** Rules for swearing and vulgar words for the body and sex; attacks on a person are in `INSULTS`. */
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
    // Swearing that often addresses no person, such as at a broken printer.
    { obscene: 0.4, toxicity: 0.3 },
    `shit|shits|bastard|bastards|prick|pricks|ass|arse|asses|wtf|omfg|lmfao|fml
     crap|crappy|piss|pissed|damn|damned|dammit|bloody|screwed|frigging|freaking|effing|frickin
     dick|cock|boobs|boob|porn|balls|tit|cum|knob|tool|boner
     hell
     sucks|suck`,
  ),
]
