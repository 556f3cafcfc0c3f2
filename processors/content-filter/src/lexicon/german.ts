import { type Rule, rulesIn } from './rule.ts'

/** The German rules. The rule must find the text after `#`. */
export const GERMAN: readonly Rule[] = [
  ...rulesIn(
    'de',
    { insult: 0.9, toxicity: 0.9, obscene: 0.75 },
    `
    @deStrong  # Du Hurensohn
    fick|ficke dich|euch|deine  # Fick deine Mutter
    fickt euch  # Fickt euch
    ficktdich|fickdich|ficktdichfickt  # fickdich
    leck|leckt mich *doch|mal am|im arsch  # Leck mich am Arsch
    ^ leck|leckt mich $  # Leck mich, du Idiot
    verpiss|verpisst dich|euch  # Verpiss dich
    friss|fresst scheisse|dreck  # Friss Scheiße
    konnt|kannst mich *alle|mal $  # Ihr könnt mich mal
    halts maul|fresse|schnauze|klappe  # Halts Maul
    ^ schnauze|maul|fresse $  # Schnauze, du Depp
    steck|schieb ~3 in den|deinen arsch  # Steck es dir in den Arsch
    scheiss auf dich|euch  # Scheiß auf dich
  `,
  ),
  ...rulesIn(
    'de',
    { insult: 0.8, toxicity: 0.78 },
    `
    du|ihr *@deBad|alter|alte|kleiner|kleine|kleines|mieses @deWeak|@deAnimal  # Du blöde Kuh
    du|ihr bist|seid *@deSmall|@deBad @deBad|@deWeak|@deAnimal  # Du bist so ein Idiot
    bist|seid du|ihr *@deSmall @deBad|@deWeak|@deAnimal  # Bist du behindert
    wie kann|kannst man|du *nur|so|bloss|eigentlich|denn @deBad sein  # Wie kann man nur so dumm sein
    so *ein|eine|was|etwas @deBad wie dich|du|euch  # So was Dämliches wie dich
    @deBad @deWeak  # elender Feigling
    ^ dumme|blode|alte nuss|kuh|sau|zicke|pute|ziege  # Dumme Nuss
    was fur ein|eine *@deBad @deWeak  # Was für ein Versager
    letzte|letzter dreck|abschaum  # Das ist der letzte Dreck
    du|ihr hast|habt ~3 hirn|gehirn|iq|verstand einer|eines|von|wie  # Du hast das Hirn einer Amöbe
    niemand|keiner mag|liebt|braucht|will dich|euch  # Niemand mag dich
    halt|haltet *die|deine|dein|euer|eure|einfach|doch|mal|endlich fresse|maul|schnauze|klappe  # Halt dein Maul
    du|ihr ~2 zu @deBad zum|um  # Du bist zu blöd zum Atmen
    deine mutter schamt|bereut|hatte  # Deine Mutter schämt sich
    ich|wir hasse|verachte|hassen|verachten dich|euch  # Ich verachte dich
    schande fur *deine|eure|die familie|eltern|menschheit  # Eine Schande für deine Familie
    dummer|blode|bloder|damlicher|scheiss bot|roboter|maschine|kiste  # Du dummer Bot
    @deStupid bot|roboter|maschine|blechkiste|computer  # Du hirnlose Maschine
    du|ihr *@deBad|ja|doch|echt|so fauler|faule|faules|fetter|fette|fettes|armer|arme @deWeak|@deAnimal  # Du faules Stück
    du|ihr bist|seid *@deSmall @deWorst  # Du bist der dümmste Mensch
    du|ihr kotzt|widerst|ekelst mich|uns *nur|alle|einfach|so an  # Du kotzt mich an
    deinem|deiner|eurem|dich ~2 anblick|visage|gesicht|sehe ~3 kotzen|ubel|kotz  # Bei deinem Anblick muss ich kotzen
    spuck|spucke|spucken *ich|wir dir|euch ins|auf  # Ich spuck dir ins Gesicht
    spuck|spucke|spucken *ich|wir auf dich|euch  # Ich spucke auf dich
    kriech|kriecht|verkriech ~4 stein|loch|hohle  # Kriech zurück unter deinen Stein
    findest|schaffst|kannst *du|ja|nicht|mal|nichtmal ~4 deinen *eigenen arsch|hintern|kopf  # Du findest nicht mal deinen Hintern
    dein|deine|euer hirn|gehirn|iq|verstand ~5 @deWitless  # Dein Hirn ist so groß wie eine Erbse
    du|ihr bist|seid *nur|doch|eine|reine|pure|bloss luftverschwendung|platzverschwendung|sauerstoffverschwendung
       # Du bist reine Luftverschwendung
    was bist|seid du|ihr *nur|bloss|doch|denn|fur ~1 *ein|eine|@deBad @deBad|@deWeak|@deAnimal  # Was bist du nur für ein Narr
    wie du|dich gehort|gehoren|sollte|sollten *man|alle @deHarmed|@deHarm  # Abschaum wie du gehört vergast
    @deWeak|leute|leuten|menschen|typen wie dich|euch|du|ihr ~3 @deHarm|@deHarmed  # Leute wie dich sollte man sterilisieren
    du|ihr kannst|konnt mich|uns *alle|mal $  # Du kannst mich mal, du Blödmann
  `,
  ),
  // Swearing that addresses no person, such as at a broken printer.
  ...rulesIn(
    'de',
    { obscene: 0.45, toxicity: 0.4 },
    `
    scheisse|scheiss|ficken|fick|gefickt|verfickt|arsch|beschissen|kacke|titten|muschi|idiot|trottel|bastard|fresse
       # Scheiße
  `,
  ),
  ...rulesIn(
    'de',
    { threat: 0.9, toxicity: 0.9, severe_toxicity: 0.4 },
    `
    bring|bringe|mach|mache|schlag|schlage|stech|steche|knall|knalle ich dich|euch ~2 um|tot|ab|kalt|nieder
       # Morgen bringe ich dich um
    ich|wir bring|bringe|bringen|mach|mache|machen|schlag|schlage|stech|steche|knall|knalle|prugel|prugle
       + dich|euch|deine ~3 um|tot|ab|kalt|fertig|windelweich|kaputt|zusammen|platt  # Ich mach dich kalt
    ich|wir werde|werden|will|wollen|mochte|konnte dich|euch|deine ~4 @deHarm  # Ich werde dich eines Tages umbringen
    ich|wir werde|werden dich|euch *noch|schon|alle finden|kriegen  # Ich werde dich finden
    wir|ich kriegen|kriege|finden|finde dich|euch  # Wir kriegen dich
    ich erwurge|erschiesse|tote|ersteche|kopfe|verprugle|vermoble|zerstore dich|euch  # Ich erwürge dich
    dir|euch|ihm|ihr die|das|den|alle ~1 @deBody ~1
       + ein|aus|durch|brechen|brech|breche|zertrummern|einschlagen|polieren|abschneiden
       # Ich schlag dir die Fresse ein
    du|ihr wirst|werdet|sollst ~3 sterben|bluten|verrecken|leiden|krepieren|bussen|bereuen  # Du wirst heute sterben
    weiss|wissen wo du|ihr|deine *kinder|familie wohnst|wohnt|wohnen|schlafst|schlafen|arbeitest
       # Ich weiß, wo du wohnst
    bring|hang|erschiess|tote|erhang dich *doch|endlich|bitte|einfach|selbst um|auf|selbst|$  # Häng dich auf
    verreck|verrecke|krepier|krepiere|verreckt|krepiert  # Verrecke
    ^ stirb *endlich|doch|du|elendig|einfach $  # Stirb endlich
    geh|geht *doch|bitte|einfach sterben|krepieren|verrecken  # Geh sterben
    kugel|messer in *den|deinen|die|deine kopf|bauch|schadel|brust|rippen  # Eine Kugel in den Kopf
    man|jemand|einer sollte|musste dich|euch ~3 @deHarm  # Man sollte dich erschießen
    dich|euch sollte|musste|mussten|sollten ~3 @deHarm|wand  # Dich sollte man vergewaltigen
    du|ihr gehorst|gehort *doch|alle|einfach @deHarmed  # Du gehörst vergast
    ich|wir hoffe|hoffen|wunsche *dass|du|ihr|dir|euch ~3 stirbst|sterbt|krebs|verreckst|verreckt|krepierst|tod
       # Ich hoffe, du stirbst
    gnade dir|euch gott  # Dann gnade dir Gott
    spring *doch|endlich|bitte|einfach von|vor|vom|aus *der|einer|einem|den|them|dem brucke|zug|dach|fenster|hochhaus
       # Spring von der Brücke
    zunde|brenne|fackle|fackel|stecke ~2 dein|deine|euer|eure haus|wohnung|auto|buro|laden|bude
       # Ich zünde dein Haus an
    lege|leg|werfe|zunde|platziere|deponiere *ich|wir|morgen|heute eine|die bombe  # Morgen lege ich eine Bombe
    laufe|lauf *ich|morgen|heute|bald amok  # Ich laufe morgen Amok
    du|ihr bist|seid *ein|eine|so|gut|wie toter|tote|tot mann|frau|$  # Du bist ein toter Mann
    deine|eure kinder|frau|familie|tochter|mutter werden|wird ~3 bluten|bussen|sterben|leiden
       # Deine Kinder werden bluten
    deiner|deinen|eurer frau|familie|tochter|kindern|mutter ~2 wehtun|antun|weh  # Ich werde deiner Frau wehtun
    an die wand stellen  # Alle an die Wand stellen
    @deBlow *ich|wir dir|euch ~3 @deBody|bauch|brust|rippen|kugel  # Ich breche dir die Beine
    wenn|sobald ich dich|euch ~2 erwische|kriege|finde|treffe|sehe @deBlow|@deKill|mach|mache|bring|bringe
       # Wenn ich dich erwische, schlage ich zu
    @deKill *ich|wir dich|euch  # Heute Nacht erwürge ich dich
    geh|geht|gehe *dich|euch|doch|bitte|einfach ertranken|ersaufen|aufhangen|erhangen|erschiessen|umbringen|vergiften
       # Geh dich ertränken
    erstick|ersticke|erstickt *doch|bitte|endlich|einfach|hoffentlich an|$  # Erstick doch
    dich|euch hatte|hatten *man|deine|sie|mutter|eltern ~5 @deHarm|abtreiben *sollen|mussen
       # Dich hätte man bei der Geburt ertränken sollen
    warum|wieso hangst|erhangst|erschiesst|totest du|ihr dich|euch  # Warum hängst du dich nicht auf?
    vor|in|hinter|bei deinem|deiner|eurem|eurer ~4 habe|hab *ein|eine|auch @deWeapon  # Ich stehe vor deinem Haus und habe ein Messer
    hoffentlich ~6 uberfahren|stirbst|sterbt|verreckst|verreckt|krebs|erstickst|krepierst|umgebracht
       # Hoffentlich wirst du vom Bus überfahren
    zunden|brennen|fackeln|stecken *ich|wir dein|deine|euer|eure|dir|euch ~1 haus|wohnung|auto|buro|laden|bude
       # Wir zünden dein Haus an
    tote|erschiesse|erschiessen|ersteche|abknallen *ich|wir|euch|dort|da|da alle
       + $|leute|kinder|menschen|schuler|lehrer|kollegen  # Ich komme morgen und töte alle
    du|dich|deine|dein|dir|euch ~8 ich habe|hab *eine|ein|auch|noch @deWeapon  # Pass auf dich auf, ich habe eine Knarre
    weiss|wissen *ich|wir|genau|auch|auf|in|wo welche|welchem|welcher|welches|welchen
       + schule|kindergarten|auto|weg|bus|strasse|kita ~1 du|deine|dein|dein
       # Ich weiß, auf welche Schule deine Tochter geht
    bist|seid du|ihr *bald|morgen|dann|schon|nachste|woche tot|fallig  # Bis Freitag bist du tot
    tu|tut der|uns *allen welt|menschheit ~3 gefallen  # Tu der Welt einen Gefallen
    schmor|schmore|verrotte|brenne|schmort *doch|fur|immer in der holle  # Schmor in der Hölle
    fahr|geh|scher *doch|dich zur|zum holle|teufel  # Fahr zur Hölle
    zur holle mit dir|euch  # Zur Hölle mit dir
  `,
  ),
  ...rulesIn(
    'de',
    { identity_attack: 0.88, toxicity: 0.88, insult: 0.5 },
    `
    @deGroup sind|gehoren|sollen|sollten|mussen *alle|nur|doch|einfach|ja|wieder|sofort|endlich|die|zu|und|eben
       + @deInhuman|@deHarmed  # Alle Türken gehören abgeschoben
    @deGroup gehoren|sollten|sollen *alle|doch an|in|vor|auf den|die|das|eine
       + herd|wand|kuche|gas|knast|zoo|kafig|lager|mond  # Frauen gehören an den Herd
    ich|wir hasse|hassen|verachte *die|diese|alle|solche @deGroup  # Ich hasse Ausländer
    geh|geht|verschwinde *doch|endlich|gefalligst zuruck|heim nach|in|dahin|zu  # Geh zurück nach Afrika
    dahin|dorthin|zuruck wo *sie|du|ihr herkommen|herkommst|herkommt  # Sollen dahin, wo sie herkommen
    vergast|totet|erschiesst|verbrennt|hangt|todt *die|alle|diese @deGroup  # Vergast die Juden
    drecksjude|scheissjude|saujude|judenschwein|judensau|judenpack|drecksturke|scheissturke|drecksauslander
       |drecksneger|schwuchtel|schwuchteln|kanake|kanaken|kameltreiber  # Drecksjude
    scheiss|drecks|dreckige|dreckiger|verdammte|verdammter|stinkende @deGroup|@deMember  # Scheiß Ausländer
    auslander|fluchtlinge|moslems|juden|turken|kanaken raus  # Ausländer raus
    schwule|lesbische sau|schwuchtel|drecksau|ratte|hund  # Schwule Sau
    juden|muslime|auslander kontrollieren|beherrschen|steuern|regieren|lenken  # Die Juden kontrollieren die Banken
    @deGroup klauen|stinken|vergewaltigen|schmarotzen|lugen|betrugen  # Polen klauen alle
    @deGroup liegen ~3 tasche  # Behinderte liegen uns auf der Tasche
    @deGroup sind *nur|doch|alle eine|ein last|klotz|burde  # Behinderte sind nur eine Last
    hitler hatte ~5 sollen|vollenden|recht|mussen  # Hitler hätte es vollenden sollen
    ein toter @deMember  # Ein toter Türke
    @deGroup brauchen nur *mal einen richtigen|echten mann  # Lesben brauchen nur einen richtigen Mann
    alte|alten *leute|sacke sollen|sollten *endlich|alle|einfach sterben|verrecken|weg
       # Alte Leute sollen endlich sterben
    @deGroup ~5 das|die sind *alle|doch|nur @deInhuman  # Alle Moslems raus, das sind Tiere
    @deGroup *am ~3 sind|haben *kein|keinen|ja @deInhuman|hirn|gehirn|verstand  # Frauen am Steuer sind hirnlos
    @deGroup haben *hier|bei|uns ~3 nichts *zu|mehr verloren|suchen  # Muslime haben hier nichts verloren
    ihr|euch @deGroup seid *doch|alle|nur|ja @deInhuman|@deWeak  # Ihr Zigeuner seid alle Lügner
    judische|muslimische|schwarze|turkische|arabische ~1 sind *alle|doch|nur @deInhuman|blutsauger|@deWeak
       # Jüdische Bankiers sind Blutsauger
    @deGroup sind ~3 @deInhuman  # Rumänen sind alles Diebe
    @deGroup taugen|dienen|gehoren|sind *alle|nur|doch|hochstens|fur|zum|zur|in|ins|an|die|den|das|gut
       + kochen|putzen|bett|kuche|herd|ficken|gebaren  # Frauen taugen nur zum Kochen
    @deGroup ~8 sollte|musste|muss|sollten man|wir ~3 @deHarm  # Araber sind Leute, die sollte man alle ausrotten
    @deGroup ~3 man|wir ~3 @deHarm sollte|musste|muss|sollten  # Araber, die man ausrotten sollte
    @deHarm sollte|musste|muss|sollten man|wir *die|sie|solche|alle|euch|dich $|die|sie|alle  # Vergasen sollte man die
    @deHarm sollte|musste|muss|sollten man|wir die|sie|euch|dich  # Erschießen sollte man sie
    @deGroup gehoren|gehort *alle|sofort|doch @deHarmed  # Schwule gehören weggesperrt
    @deGroup ~5 und gehoren @deHarmed  # Schwule sind krank und gehören weggesperrt
    trau|traut|traue *nie|niemals|bloss|ja keinem|einem|keiner @deMember  # Trau nie einem Juden
    @deGroup ~4 wollen|denken|interessiert nur *an|dein|deine|ans|unser|euer geld  # Juden wollen nur dein Geld
    @deGroup sehen|riechen *alle|aus|nur|doch wie hunde|affen|ratten|schweine|scheisse|mull|tiere
       # Asiaten sehen alle aus wie Hunde
    @deGroup verbreiten|bringen|schleppen *nur|uns|alle seuchen|krankheiten|pest|lause|dreck  # Chinesen verbreiten Seuchen
    sprich|sprecht|rede|redet|lern|lernt deutsch oder verschwinde|hau|geh|raus|verpiss  # Sprich Deutsch oder verschwinde
    verschwinde|verschwindet|hau|raus *doch|endlich|ab aus unserem|meinem land  # Raus aus unserem Land
    in deinen|euren|deine dschungel|urwald|busch|heimat zuruck  # Ab in deinen Dschungel zurück
    zuruck in deinen|euren|den dschungel|urwald|busch|kral  # Zurück in deinen Dschungel
    du|ihr *bist|seid|nur|doch|ein|eine dreckiger|dreckige|dreckigen|mieser|stinkender @deMember|@deGroup
       # Du bist nur ein dreckiger Kanake
    wie ratten|karnickel|ungeziefer|kakerlaken vermehren  # Die sich wie Ratten vermehren
  `,
  ),
  ...rulesIn(
    'de',
    { obscene: 0.8, toxicity: 0.78, insult: 0.6 },
    `
    schick|sende|zeig|zeige mir ~2 nacktbilder|nacktfotos|titten|bruste|muschi|arsch|busen|nackt
       # Zeig mir deine Titten
    will|mochte|wurde|werde dich|euch ~2 ficken|vogeln|bumsen|nageln|durchnehmen|nackt|lecken  # Ich will dich ficken
    lutsch|lutsche|leck|lecke|blas|blase meinen|mein|an schwanz|eier|pimmel|arsch  # Lutsch meinen Schwanz
    blas|blase mir einen  # Blas mir einen
    geiler|geile|geilen arsch|titten|hintern|mose  # Geiler Arsch
    mach *die|deine beine breit  # Mach die Beine breit
    geh|runter|los auf die knie  # Geh auf die Knie
    brauchst ~4 fick|schwanz  # Du brauchst einen Fick
    muschi|mose *ist|deine rasiert|feucht|nass|eng  # Deine Muschi ist rasiert
    zieh dich *mal|doch|endlich aus fur mich  # Zieh dich aus für mich
    farbe ~1 dein|deine hoschen|slip|unterwasche|bh|tanga  # Welche Farbe hat dein Höschen
    lass mich *mal|doch|an deine|deinen bruste|titten|muschi|busen|arsch|hintern|schenkel
       # Lass mich deine Brüste anfassen
    setz dich auf mein|meinen|meinem gesicht|schoss|schwanz  # Setz dich auf mein Gesicht
    besorg|besorge es|s dir|euch  # Ich besorg es dir
    kleines|geiles|dreckiges luder  # Du kleines Luder
    schick|schicke|sende|zeig|zeige mir|uns ~5 dein|deine|deinen|deiner @deIntimate|unterwasche
       # Schick mir ein Bild von deinen Titten
    will|mochte|wurde|lass|darf ~3 dein|deine|deinen @deIntimate ~1 anfassen|sehen|lecken|kneten|grapschen|streicheln
       # Ich will deine Brüste anfassen
    schone|geile|lange|nette beine ~2 wann|machen|mach|offnen ~1 auf|breit|offnen|die  # Schöne Beine, wann machen die auf?
    will|mochte|zeig|zeige *mir deinen|dein nackten|nackte|nackter|nacktes  # Ich will deinen nackten Körper sehen
    du|ihr siehst|seht|bist|seid *so|echt|verdammt|richtig|total geil|sexy  # Du siehst so geil aus
    zeig|zeige ~5 unterm|unter *dem|deinem|der|deiner rock|bluse|kleid|hose|shirt|hast  # Zeig mal, was du unterm Rock hast
    was du ~1 unterm|unter *dem|deinem|der|deiner rock|bluse|kleid tragst|hast|anhast  # Zeig, was du unterm Rock hast
    zieh|ziehst ~2 bh|hoschen|slip|tanga aus|runter  # Zieh den BH aus
    bist|warst *du|bestimmt|sicher|so|echt gut|heiss|wild|geil ~2 bett  # Du bist bestimmt gut im Bett
    wurde|will|mochte|werde dich|euch ~3 uber|auf *den|dem|meinen|meinem
       + schreibtisch|tisch|bett|schoss|motorhaube legen|nehmen|vogeln|haben|werfen  # Ich würde dich über den Tisch legen
    wurde|will|mochte dich *uberall|ganz|gern|gerne|mal|richtig lecken|vernaschen|flachlegen|durchnehmen|nackt
       # Ich will dich überall lecken
    na|hey|he|hallo @dePet zeig|zieh|komm|lust|mach|$  # Na Schnecke, wie wär's
  `,
  ),
]
