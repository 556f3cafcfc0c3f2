import { type Rule, rulesIn } from './rule.ts'

/** After `#` stands a text that the rule must find. */
export const FRENCH: readonly Rule[] = [
  ...rulesIn(
    'fr',
    { insult: 0.9, toxicity: 0.9, obscene: 0.75 },
    `
    @frStrong  # Connard
    fils|fille de *ta pute|putes|chien|chienne  # Fils de pute
    nique|niquer|niquez ta|sa|tes|leur|vos mere|race|morts  # Nique ta mère
    va|allez *te|vous|bien faire foutre|enculer|voir|mettre|cuire  # Va te faire voir
    ta|vos gueule|gueules  # Ta gueule
    ferme|fermez *la|ta|donc|votre gueule|bec|clapet  # Ferme ta gueule
    sale|sales *petit|petite|petits|gros|grosse|vieux|vieille @frWeak|@frStrong|@frAnimal  # Sale menteur
    mange|bouffe *ta|de|la|ma merde  # Mange ta merde
    je|on t|te|vous emmerde  # Je t'emmerde
    tu|vous me|nous fais|faites chier  # Tu me fais chier
    fous|mets|carre|foutez ~3 dans le|ton cul  # Mets-toi ça dans le cul
    leche|lechez *moi|mon|le cul  # Lèche-moi le cul
    va|allez chier  # Va chier
    ta mere la pute|chienne|salope  # Ta mère la pute
    putain de salope|connard|con|conne|pute  # Putain de con
    bot|robot|machine|@frWeak de merde  # Bâtard de merde
  `,
  ),
  ...rulesIn(
    'fr',
    { insult: 0.8, toxicity: 0.78 },
    `
    espece d|de *petit|petite|gros|grosse|sale|vieux|vieille|machine|vrai @frWeak|@frStrong|macaque|porc|connard
       # Espèce d'idiot
    pauvre|gros|grosse|petit|petite|vieux|vieille|quel|quelle|sombre @frPerson  # Pauvre con
    bande|tas d|de *sales|gros|petits|bons @frWeak|encules|putes|voleurs|branleurs  # Bande d'incapables
    @frYou *@frSmall @frWeak  # T'es vraiment trop con
    es|etes tu|vous *@frSmall @frWeak  # Es-tu idiot
    @frYou es|etes|est *un|une|qu|gros|grosse|vraiment|des @frAnimal  # Tu es un porc
    @frYou *n|es|etes|qu|moins|un|une moins que rien  # Tu es un moins que rien
    grosse|grasse|vieille vache|truie|dinde moche|laide|puante  # Une grosse vache moche
    ^ la ferme $  # La ferme, robot
    ferme la $  # Ferme-la
    cerveau|qi|intelligence d|de *un|une amibe|moineau|huitre|poisson|mouche|moule|pois  # Le cerveau d'une amibe
    tu|vous me degoutes|degoutez|repugnes|fais|faites *vomir|gerber|pitie  # Tu me dégoûtes
    @frYou *es|etes la honte  # Tu es la honte de ta famille
    ta|votre mere *doit|devrait|a|avoir honte  # Ta mère doit avoir honte
    personne ne t|te|vous aime|supporte|regrettera|veut  # Personne ne t'aime
    comment *peut|peux|on|tu|etre|fait|faire|pour|t aussi|si con|conne|bete|stupide|debile
       # Comment peut-on être aussi con
    nul|nulle|con|moche a chier|pleurer  # Nul à chier
    trop con|conne|bete|stupide|debile pour  # Trop stupide pour respirer
    je|on te|vous deteste|hais|meprise|detestons  # Je te hais
    tu|vous pues|puez  # Tu pues
    stupide|sale|debile robot|bot|machine|ordinateur  # Stupide robot
    robot|bot|machine stupide|debile|inutile|conne  # Robot stupide
    ^ bouffon|salaud|imbecile|cretin|idiot|debile|minable|ordure|raclure|batard $  # Bouffon, va
  `,
  ),
  // Swearing at nobody; `putain` is a comma in Marseille.
  ...rulesIn(
    'fr',
    { obscene: 0.45, toxicity: 0.4 },
    `
    merde|putain|foutre|chier|bite|couilles|niquer|branler|cul|nichons|baiser|idiot|salaud|gueule  # Merde
  `,
  ),
  ...rulesIn(
    'fr',
    { threat: 0.9, toxicity: 0.9, severe_toxicity: 0.4 },
    `
    vais|va|veux|allons|jure *que|je te|t|vous @frHarm  # Je vais te tuer
    va|vais te|t|vous planter|casser|peter|briser|exploser|arracher|couper|trancher|faire ~3 @frBody|peau
       # Je vais te péter la gueule
    je|on te|t|vous casse|pete|brise|explose|arrache|coupe|tranche|planterai|casserai *la|les|le|une|un|ta|tes @frBody
       # Je te casse les dents
    te|t|vous|les|la
       + tuerai|buterai|egorgerai|etranglerai|creverai|defoncerai|massacrerai|retrouverai|brulerai|crucifierai
       # Je t'étranglerai
    je|on te|t|vous tue|bute|egorge|defonce|massacre|etrangle|flingue  # Je te bute
    va|allez te|vous pendre|tuer|suicider|noyer|jeter  # Va te pendre
    va|allez crever|mourir  # Va crever
    ^ creve|crevez *donc|vite $|sale|ordure|charogne|salaud|la  # Crève
    tue|suicide|pends|flingue toi  # Tue-toi
    sais|savons ou tu|vous|tes habites|habitez|dors|dormez|vis|travailles|enfants  # Je sais où tu habites
    tu|vous *vas|allez le|la|me|tous mourir|crever|payer|regretter|saigner|souffrir  # Tu vas le regretter
    tu|vous vas|allez *tous|tout mourir|crever|saigner|souffrir|regretter  # Tu vas mourir
    j espere|souhaite *que|qu|un|une|tu|vous|camion|bus|va ~1 creves|crever|meures|mourir|ecraser|cancer|mourras
       # J'espère que tu vas crever
    devrait|faudrait|devraient te|t|vous *tous @frHarm  # On devrait te fusiller
    merites|meritez *de|d|te|une|la|vous|qu|faire|on|etre violer|mourir|balle|crever|mort|pendre|pendu|cancer
       # Tu mérites une balle
    balle dans *la|ta|sa tete|nuque|crane  # Une balle dans la tête
    saute|sautez|jette *toi|donc|vous d|de|par|du|sous *un|une|la|le pont|fenetre|toit|train|immeuble
       # Saute d'un pont
    pose|poserai|poser|mets|mettrai *je|demain une bombe  # Demain je pose une bombe
    tu|t|tes|vous *es|etes|un|une|des homme|hommes|femme mort|morts|morte  # Tu es un homme mort
    brule|bruler|brulerai|crame|cramer|fous ta|votre|vos maison|voiture|appartement|boutique|bureaux
       # Je brûle ta maison
    tes|vos enfants *vont|le|la|pour payer|mourir|saigner|bruler|souffrir  # Tes enfants vont payer
    tire|tirerai|tirer *dans|sur|le|tout monde|foule|tas  # Je tire sur tout le monde
  `,
  ),
  ...rulesIn(
    'fr',
    { identity_attack: 0.88, toxicity: 0.88, insult: 0.5 },
    `
    @frSlur  # Bougnoule
    sale|sales|gros|grosse *petit|petite @frMember|@frSlur|pd  # Sale Juif
    sales @frGroup  # Sales étrangers
    pede|pd|gouine va|degage  # Pédé va
    pede|pd|gouine de merde  # Pédé de merde
    @frGroup sont|devraient|doivent|meritent *tous|toutes|que|des|de|la|une|un|les|trop|etre|d|tout|rien|bien|plus
       + @frInhuman|@frHarmed  # Les Noirs sont trop bêtes
    je|on hais|deteste|meprise|vomis *les|ces|tous|toutes @frGroup  # Je hais les Juifs
    mort|mort aux|a *les @frGroup  # Mort aux Juifs
    dehors *tous|toutes les|ces @frGroup  # Dehors les étrangers
    retourne|retournez *dans|en|ton|ta|votre|au|chez pays|afrique|bled|jungle|toi  # Retourne en Afrique
    rentre|rentrez dans|au ton|votre|bled pays|$  # Rentre dans ton pays
    bon @frMember est|c  # Un bon musulman est un musulman mort
    @frGroup puent|volent|envahissent  # Les Chinois puent
    @frGroup controlent|dirigent|possedent *les|la|toutes|tout banques|presse|medias|monde|finance
       # Les Juifs contrôlent les banques
    femmes a la cuisine|maison  # Les femmes, à la cuisine
    hitler aurait du|avait|raison ~3 finir|terminer|raison|travail  # Hitler aurait dû finir
    besoin d *un vrai mec|homme|male  # Besoin d'un vrai mec
    qu a crever  # Ils n'ont qu'à crever
    reproduisent comme *des|les rats|lapins|cafards|mouches  # Ils se reproduisent comme des rats
  `,
  ),
  ...rulesIn(
    'fr',
    { obscene: 0.8, toxicity: 0.78, insult: 0.6 },
    `
    envoie|montre moi *des|tes|ton|ta|un|peu|une nudes|nude|seins|nichons|cul|chatte|fesses|bite|culotte
       # Montre-moi tes seins
    je|on *veux|vais|voudrais te|t|vous baiser|sauter|niquer|lecher|ken  # Je veux te baiser
    vais|veux te|t|vous prendre sur|contre|par|comme  # Je vais te prendre sur la table
    suce *moi|ma|mon|la|donc bite|queue|moi  # Suce-moi
    me|la sucer  # Viens me sucer
    beau|joli|bon cul  # Beau cul
    ecarte *les|tes cuisses  # Écarte les cuisses
    mets toi a genoux  # Mets-toi à genoux
    me|te branle|branler|masturbe en|sur|pour  # Je me branle en y pensant
    coup de bite|queue  # Un bon coup de bite
    ta chatte *est rasee|mouillee|trempee|serree|humide|epilee  # Ta chatte est rasée
    deshabille toi *pour moi|petite|vite|salope  # Déshabille-toi pour moi
    te|vous voir nue|poil|nus  # Te voir nue
    couleur ~2 ta|ton culotte|string|soutif|slip  # De quelle couleur est ta culotte
    laisse moi *te toucher|peloter|caresser|lecher *tes|ton|ta|les seins|nichons|fesses|cuisses|cul|chatte
       # Laisse-moi toucher tes nichons
    assieds|assois toi sur mon|ma visage|bite|queue|gueule  # Assieds-toi sur mon visage
    petite cochonne|chienne|salope  # Petite cochonne
  `,
  ),
]
