import { type Rule, rulesIn } from './rule.ts'

/** Sexual harassment: somebody is spoken to as a body. After `#` stands a text that the rule must find. */
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
