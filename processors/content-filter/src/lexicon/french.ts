import { type Rule, rulesIn } from './rule.ts'

/** The French rules. The rule must find the text after `#`. */
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
    ^ quel|quelle *petit|petite|gros|grosse|pauvre|sale @frWeak *ignorant|ignare|tu|vous
       + tu|fais|es|faites|etes  # Quel petit imbécile ignorant tu fais
    @frYou *es|etes|est|suis ~1 personne|mec|type|fille|employe la|le *plus bete|stupide|debile|conne|con|nul|nulle
       # Tu es la personne la plus bête
    @frYou ~3 la|le plus bete|stupide|debile|con|conne|moche|nul|nulle  # Tu es le plus bête de tous
    @frYou *es|etes|trop|si|vraiment trop|si con|conne|bete|stupide|debile pour  # T'es trop con pour ça
    @frWitless *chiche|terre|de a la place ~2 cerveau  # Un petit pois à la place du cerveau
    crache|crachons|cracherai *a|au|sur|dessus la|toi|vous|ta figure|visage|gueule|face|$  # Je te crache à la figure
    retourne|retournez|rampe ~3 pierre|trou|caillou|egout  # Retourne sous ta pierre
    trouverais|trouves|sais *pas|meme ton|tes *propre|propres cul|derriere|pieds  # Tu ne trouverais pas ton derrière
    @frYou *as|avez|le|un|l cerveau|qi|intelligence *d|de|du|un|une @frWitless  # Tu as le QI d'une patate
    @frYou ne merites|meritez *meme|pas|l|le|la|d|de air|vivre|exister|oxygene  # Tu ne mérites pas l'air
    reponse|machine|question debile|conne|idiote *d|de|un|une robot|machine|bot  # Réponse débile d'une machine
    va|allez *te|donc|vous *au|en diable|enfer  # Va au diable
    tu|vous me donnes|donnez *envie|la|de|l gerber|vomir|nausee  # Tu me donnes envie de gerber
    gros|grosse|grasse|vieux|vieille *sale lard|truie|vache|porc|tas|dinde|baleine|faineant|debile  # Gros lard
    casse|cassez|degage|degagez|tire|barre ~1 *toi|de|la|vous|ici sale|espece|pauvre  # Casse-toi, sale rat
    ^ salope|connasse|abruti|enfoire|ordure|vermine|faineant|incapable|ignare|andouille $  # Andouille, va
    etouffe|etouffez toi|vous  # Étouffe-toi
    ta|votre|vos gueule *est|de|a *repugnante|moche $  # Regarde ta gueule
    stupide|debile|idiote *de machine|robot|bot  # Machine : stupide robot
    machine|robot|bot *completement|vraiment stupide|debile|idiote|idiot|nulle|con|conne  # Machine stupide
    @frWeak comme|tels toi|vous ~4 @frHarm|@frHarmed  # Les ordures comme toi, il faut les gazer
    gens|types|ordures|ordure|femmes|personnes comme|tels toi|vous ~3 @frHarm|@frHarmed  # Des gens comme toi à gazer
    devrait|faudrait|faut|faudra @frHarm|@frHarmed *tous|toutes les gens|types|ordures comme toi|vous
       # On devrait stériliser les gens comme toi
    virez|degagez|sortez *moi|nous ~1 @frWeak *d|de|la|hors ici|la|equipe  # Virez-moi ce gogol d'ici
    ^ bouffon|salaud|imbecile|cretin|idiot|debile|minable|ordure|raclure|batard $  # Bouffon, va
  `,
  ),
  // Swearing that addresses no person; `putain` is often a mere filler word.
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
    je *te|t|vous @frBlow *la|le|les|un|une|ta|tes @frBody  # Je te trancherai la gorge
    casser|peter|briser|trancher|couper|arracher|exploser *la|le|les|tes|ta|un @frBody ~1 toi|tu|te|$  # Te casser les jambes
    vais|va|allons|vont ~6 te|t|vous casser|peter|briser|trancher|couper|arracher *la|le|les @frBody
       # Je vais trouver où tu habites et te casser les jambes
    te|t|vous mettre|coller|loger|tirer *une|un|des balle|balles|pruneau|plomb  # Je vais te mettre une balle
    je *te|t|vous @frKill $  # Ce soir, je t'étrangle
    je|on te|t|vous @frKill  # Je t'étrangle ce soir
    tu|vous|toi|te|ta|t ~8 ai un|une @frWeapon  # Fais gaffe à toi, j'ai un flingue
    ai un|une @frWeapon ~4 toi|ta|ton|tes|te|vous  # J'ai un flingue pour toi
    tuerai|buterai|abattrai tout|tous le|les monde|eleves|enfants|profs  # Je tuerai tout le monde
    avec *un|mon|une @frWeapon ~4 tuerai|tirerai|buterai|tuer  # Avec un fusil et je tuerai
    sais|savons|connais|connaissons *dans|a|ou|quelle|quel|ton|ta|tes|le|l
       + ecole|voiture|lycee|creche|nom ~1 ta|tes|ton|fille|fils|enfants  # Je sais dans quelle école va ta fille
    va|allez *donc|te|vous|toi noyer|pendre|suicider  # Va te noyer
    feras|fasses|fera|fasse *te|vous|se|t ecraser|tuer|renverser  # Tu te feras écraser
    aurait|aurais|auraient du te|vous ~1 @frHarm|avorter|jeter  # On aurait dû te noyer à la naissance
    si|quand *je|on|jamais te|vous chope|attrape|croise ~6 @frBody|dents|tuer|sauter|creve|@frKill|@frBlow  # Si je te chope, je te tue
    fais|ferai|faire|fait sauter|avaler *les|la|tes|le|ta dents|tete|cervelle  # Je te fais sauter les dents
    pourquoi|quand|donc *tu|ne te|vous pends|suicides|tues|noies|suicidez *tu|pas|vous pas|$  # Pourquoi tu ne te pends pas ?
    devant|chez chez|toi|vous *toi|vous|avec|et|je|suis ~1 @frWeapon  # Je suis devant chez toi avec un couteau
    que|qu tes|vos enfants|gosses|parents *aient|auront|attrapent|aura|un|le|tous|vont cancer|mourir|crever|sida
       # J'espère que tes enfants auront un cancer
    tu|vous seras|serez *tous|bientot|deja mort|morts|morte  # Tu seras mort vendredi
    rends|rendez *service|un au|a *monde|nous|tous *et|en saute|creve|disparais|pends|tue  # Rends service au monde et saute
    brule|crame|pourris|creve|crevez|brulez *donc en|au enfer  # Brûle en enfer
    bruler|cramer|incendier|brulera|brulerons ta|votre|vos|tes maison|voiture|appartement|gosses|famille
       # On va brûler ta maison
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
    @frGroup ~2 n|pas|sans ~2 cerveau|cervelle|honneur  # Les femmes n'ont pas de cerveau
    @frGroup ~8 expulsez|virez|gazez|tuez|degagez|renvoyez|butez|enfermez les|tous|moi
       # Les musulmans, expulsez-les tous
    @frGroup ~2 rien a faire ici|chez|en|dans  # Les musulmans n'ont rien à faire ici
    vous|toi les|des|sale|sales @frGroup ~3 menteurs|voleurs|@frInhuman  # Vous les gitans, tous menteurs
    @frGroup ~3 sangsues|vermines|usuriers|racaille|racailles  # Les banquiers juifs sont des sangsues
    @frGroup ~6 faut|faudrait|devrait *tous|toutes|bien|les|leur|l|que|se @frHarm|@frHarmed|tirer|balle
       # Les homos me dégoûtent, il faut les enfermer
    @frGroup ~4 a abattre|exterminer|gazer|eliminer|bruler|enfermer|virer  # Les travelos sont à abattre
    @frGroup *me|m|nous degoutent|repugnent|ecoeurent|emmerdent  # Les homos me dégoûtent
    @frGroup *ne|n|sont|bonnes|bons|qu|a|servent|juste|que *la|le cuisine|menage|lit|baiser|cuisiner|plumard
       # Les femmes ne sont bonnes qu'à la cuisine
    @frGroup ~1 puent|volent|envahissent|mentent|violent *notre|nos|le|la|tous|et|$  # Les Indiens puent
    @frGroup ~1 repandent|propagent|apportent|transmettent *des|les|la|leurs maladies|maladie|peste|poux|crasse
       # Les Chinois répandent des maladies
    @frGroup ~3 voleurs|mendiants|criminels|parasites|animaux|sauvages|cafards|vermine  # Les gitans sont tous des voleurs
    place *d|de|des|la|une femme|femmes ~1 *est|a|la|dans cuisine|fourneaux|maison  # La place d'une femme est à la cuisine
    confiance a|aux *un|une|les|des @frMember|@frGroup  # Ne fais jamais confiance à un juif
    @frMember|@frGroup ~2 pensent|pense *qu|que|a|l|au|leur argent|fric|pognon  # Les juifs ne pensent qu'à l'argent
    @frGroup ~1 ressemblent *tous|toutes|a|des|aux chiens|rats|singes|porcs  # Les Asiatiques ressemblent à des chiens
    parle|parlez francais ou degage|rentre|retourne|casse|barre  # Parle français ou dégage
    degage|degagez|barre|barrez *toi|vous|de|mon|notre|du pays  # Dégage de mon pays
    @frYou *n|es|etes|qu|un|une|nest sale|sales *petit|petite @frMember|@frGroup  # T'es qu'un sale Arabe
    sales *petits|gros @frSlur|@frGroup|@frMember  # Des sales bougnoules partout
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
    envoie|montre|envoyez|montrez moi ~5 tes|ton|ta @frIntimate  # Envoie-moi une photo de tes seins
    montre|fais *moi|nous|voir ~5 sous|dessous *ta|ton|la jupe|robe|chemise|culotte  # Montre ce que tu as sous ta jupe
    ce|quoi que ~2 sous *ta|ton|la jupe|robe|chemise  # Ce que tu as sous ta jupe
    je|on te|t|vous prendrais|sauterais|baiserais|boufferais|lecherais *bien|volontiers  # Je te prendrais bien
    envie|veux|voudrais|aimerais *d|de|te|t|vous|bien toucher|peloter|caresser|lecher|sucer *tes|ton|ta|les|le|partout
       + seins|nichons|fesses|cuisses|cul|chatte|partout|$  # J'ai envie de te toucher les seins
    es|etes *trop|tellement|vraiment trop|tellement bonne|baisable|bandante  # T'es trop bonne
    jolies|belles|longues jambes ~2 ouvrent|ecartent|ouvre  # Jolies jambes, elles s'ouvrent quand ?
    ton|votre corps *tout nu|nue  # Je veux voir ton corps nu
    es|etes|dois|etre *un|une|etre|bon bon|bonne coup|baiseuse  # Tu dois être un bon coup
    viens|monte|montes *dans|a|avec ma|mon chambre|lit *ma|cherie|bebe|coquine|salope  # Tu viens dans ma chambre
    enleve|retire|ote ton|ta|tes soutif|culotte|string|soutien-gorge|bas  # Enlève ton soutif
    taille|tailler *moi|me|donc une pipe  # Taille-moi une pipe
    fais|faire *moi|me une pipe|fellation|branlette  # Fais-moi une pipe
    laisse *moi *te toucher|peloter|caresser|lecher|sauter ton|tes|ta|le|les|la @frIntimate  # Laisse-moi toucher ton cul
    lecher|lecherai|leche *te|t|toi|tout partout|entiere|nue  # Je veux te lécher partout
    la|ma|hey|he @frPet montre|enleve|suce|deshabille  # La belle, montre
    petite cochonne|chienne|salope  # Petite cochonne
  `,
  ),
]
