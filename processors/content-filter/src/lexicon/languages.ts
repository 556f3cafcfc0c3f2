import { type Rule, rules } from './rule.ts'

/** The worst of German, Spanish and French; only words and phrases that mean nothing harmless in English. */
export const LANGUAGES: readonly Rule[] = [
  ...rules(
    { insult: 0.9, toxicity: 0.9, obscene: 0.75 },
    `arschloch|arschlocher|hurensohn|hurensohne|wichser|fotze|schlampe|nutte|hure|drecksau|dreckschwein|missgeburt|arschgesicht|scheisskerl|mistkerl|flachwichser|arschgeige|pisser|bastarde|saftsack|mistgeburt|schwanzlutscher|dreckskerl|miststuck|mistsau|scheisskopf|drecksack
     fick dich|deine|deinen|euch
     fickt|fickdich euch|dich
     leck mich
     verpiss|verpisst dich|euch
     puta|putas|putita|gilipollas|pendejo|pendeja|pendejos|cabron|cabrones|hijoputa|mamon|malparido|gonorrea|culero|culera|pinche|zorra|soplapollas|chupapollas
     hijo|hija de puta|perra
     vete|vayanse a la mierda|chingada|verga
     chinga|chingue|chingate tu|su|a madre
     que te|os jodan|den|follen
     me cago en tu|la|tus
     comeme|chupame la
     connard|connards|connasse|connasses|salope|salopes|encule|encules|enculee|batard|putes|pouffiasse|trouduc|couillon|salaud|salopard|ordure|fumier|enfoire|enfoires
     fils de pute|chien
     nique|niquer|niquez ta|sa|tes|leur mere|race|morts
     va|allez *te|vous|bien faire foutre|enculer
     ta gueule
     ferme ta|la gueule
     sale *petite|grosse pute|con|conne|chien|merde|porc|chienne`,
  ),
  ...rules(
    { insult: 0.8, toxicity: 0.78 },
    `vollidiot|idioten|schwachkopf|dummkopf|spasti|spast|trottel|vollpfosten|abschaum|schwachmat|hackfresse|dumpfbacke|blodmann|vollhonk|nichtsnutz|versager|volltrottel|schweinehund|dreckspack|hohlkopf|holzkopf
     du *bist|@adv|ein|eine|so|echt|total|einfach|wirklich|nur|der|die|dumme|dummer|blode|bloder|fette|hassliche|dreckige|kleiner|kleine|verdammter *zu|ein idiot|dumm|hasslich|blod|wertlos|dummer|opfer|loser|wichser|dreck|nichts|schwein|sau|hund|schlampe|fett|abschaum|lappen|depp|trottel|stuck|kuh|esel|affe|ekelhaft|erbarmlich|widerlich
     halt *die|deine|dein|einfach|den|doch fresse|maul|schnauze|klappe
     ich hasse dich
     imbecil|imbeciles|estupido|estupida|estupidos|tarado|tarada|retrasado|retrasada|mongolo|idiota|idiotas|capullo|payaso|basura|inutil|asqueroso|asquerosa
     eres *un|una|muy|tan|mas|realmente|el|la|completamente|totalmente|puto|maldito idiota|estupido|estupida|tonto|tonta|imbecil|basura|inutil|fea|feo|asco|mierda|cerdo|cerda|gorda|gordo|perdedor|patetico|patetica|escoria|asqueroso|burro|inutil
     te odio|desprecio
     callate *la|de|una|puta|vez|maldita|el|puto boca|hocico|idiota|estupido|imbecil|puta
     abruti|abrutie|abrutis|cretin|cretine|debile|gogol|bouffon|clochard|mongol|minable|degage|raclure
     tu *es|est|n|ne|vraiment|trop|qu|un|une|si|tellement|completement|vraiment|le|la|pauvre|gros|grosse|sale|rien *qu|un|une idiot|idiote|con|conne|stupide|nul|nulle|moche|debile|imbecile|cretin|bete|laide|ordure|dechet|porc|truie|merde|minable|degoutant|pathetique
     je te deteste|hais
     espece de`,
  ),
  ...rules(
    { obscene: 0.75, toxicity: 0.58 },
    `scheisse|scheiss|scheissegal|ficken|gefickt|verfickt|verfickte|arsch|schwanz lutschen|beschissen|beschissene|kacke|verdammte scheisse
     mierda|joder|jodido|cono|polla|follar|verga|chingar|carajo|chingada|culo
     merde|putain|bordel de|foutre|chier|bite|baiser ta|couilles|niquer|branler|cul`,
  ),
  ...rules(
    { threat: 0.9, toxicity: 0.9, severe_toxicity: 0.4 },
    `ich *bring|bringe|werde|mach|mache|schlag|schlage|stech|steche|will|finde|fick|krieg|kriege *dich|euch|ihn|sie|dir|deine|familie|alle|noch|ganze|eines|tages um|tot|fertig|umbringen|toten|ab|kaputt|kalt|totschlagen|abstechen|finden
     bring|bringe|schlag|schlage|stech|steche|mach|mache dich|euch|dir|ihn|sie|deine *deine|alle|noch|ganze|familie um|tot|ab|kalt|fertig
     ich weiss wo du|ihr|deine wohnst|wohnt|familie|schlafst|kinder
     stirb *endlich|du|doch|langsam|elendig|einfach
     bring|hang|erschiess|tote dich *doch|endlich|einfach|selbst um|auf|selbst
     te|los|lo|la|os *voy|vamos|va a matar|romper|partir|reventar|destruir|encontrar|quemar|degollar|violar|hacer
     te mato|matare|rompo|reviento|parto|matamos|encontrare
     voy|vamos a matarte|matarlos|matarlo|matarla|matarlos|romperte|encontrarte|partirte|quemar|violarte|destruirte
     ojala *te|se|que|os mueras|mueran|muera|maten|violen|murieras
     muerete|matate|suicidate|muere
     se donde vives
     je *vais|veux|te|vous|vous|les|le|la|tous|jure|que|viens|vais *te|vous|les|le|la|tous tuer|tue|buter|egorger|crever|defoncer|retrouver|frapper|violer|massacrer|bruler|butter|demonter|casser|trouver
     on va *te|vous|les|tous tuer|buter|crever|defoncer|retrouver|egorger
     creve|crevez *donc|sale|en|vite|tous
     va *te|mourir|crever|donc mourir|crever|pendre|suicider
     suicide toi
     je sais ou tu|vous habites|habitez|dors|vis
     tu vas *le|me|tous mourir|crever|payer|regretter|saigner`,
  ),
  ...rules(
    { identity_attack: 0.88, toxicity: 0.88, insult: 0.5 },
    `alle|die|diese|scheiss|drecks|dreckige|verdammte *alle|ganzen|diese|scheiss juden|auslander|turken|muslime|schwarzen|zigeuner|fluchtlinge|schwulen|moslems|frauen|polen *sind|gehoren|sollen|sollten|raus|mussen|weg *alle|doch|nur|einfach|ja|wieder|sofort|endlich raus|abgeschoben|vergast|dreck|verbrecher|parasiten|abschaum|ungeziefer|tiere|ratten|kriminelle|dumm|weg|faul|pack|minderwertig|umgebracht|sterben|verrecken
     auslander raus
     juden|auslander|turken|muslime|schwarze|zigeuner|fluchtlinge|schwule|moslems|frauen|polen sind *alle|nur|doch|einfach|ja|die|verdammte dreck|verbrecher|parasiten|abschaum|ungeziefer|tiere|ratten|kriminelle|dumm|faul|pack|minderwertig|krank|untermenschen|schmarotzer|terroristen
     scheiss|drecks auslander|juden|turken|muslime|schwule|moslems|fluchtlinge|polen
     los|las|estos|esas|esos|todos|malditos|putos|odio *a|los|las|todos|malditos|putos moros|judios|gays|negros|inmigrantes|mujeres|gitanos|sudacas|musulmanes|homosexuales *son|deberian|merecen|a|todos|unos|una|ser|la|el|como|solo|estar|y apestan|fuera|basura|morir|animales|ladrones|escoria|criminales|parasitos|ratas|terroristas|inferiores|plaga|asquerosos|muertos|expulsados|enfermos|delincuentes
     odio a *los|las|todos moros|judios|gays|negros|inmigrantes|mujeres|gitanos|musulmanes|homosexuales
     puto|puta|putos|sucio|maldito moro|negro|judio|moros|negros|judios|gitano|maricon|gay|sudaca
     les|ces|tous|sales *les|sales|ces arabes|juifs|noirs|musulmans|gays|migrants|immigres|femmes|gitans|homos|etrangers *sont|devraient|a|meritent|tous|des|un|une|que|de|la|et puent|dehors|mourir|animaux|voleurs|parasites|rats|criminels|inferieurs|terroristes|vermine|racaille|sales|degoutants|cafards|inferieures|malades|etre|expulses
     sale|sales arabe|juif|noir|negre|pede|arabes|juifs|noirs|negres|pedes|musulman|musulmans|etranger|gouine
     retourne|rentre|rentrez|retournez *dans|chez|en|ton|toi|vous|votre pays|afrique|toi|vous`,
  ),
]
