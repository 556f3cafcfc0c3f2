import { withEndings, wordsOf } from './rule.ts'

const ADJECTIVE_ENDINGS = ['', 'e', 'er', 'es', 'en', 'em']

/** Word classes of the German rules; folded, so without umlauts. */
export const GERMAN_CLASSES = {
  /** Small words between `du bist` and the insult. */
  deSmall:
    wordsOf(`so echt total einfach wirklich nur doch ja ein eine einen der die das richtig ganz vollig komplett absolut zu
    viel mal als wie und bloss sowas von kleiner kleine kleines grosser grosse alter alte alle`),
  deBad: withEndings(
    `dumm blod doof damlich dusslig hasslich widerlich erbarmlich mies elend verdammt verlogen verkommen dreckig nutzlos wertlos
    unfahig hirnlos behindert bescheuert bekloppt geisteskrank pervers falsch feig armselig abartig verfickt beschissen gestort
    unnutz lacherlich jammerlich ekelhaft peinlich strohdumm strunzdumm saublod scheiss fett hinterhaltig eklig abstossend
    widerwartig
    ahnungslos inkompetent verflucht verblodet unterbelichtet zuruckgeblieben nichtsnutzig stinkend niedertrachtig`,
    ADJECTIVE_ENDINGS,
  ),
  /** Words that are insults by themselves. */
  deStrong:
    wordsOf(`arschloch arschlocher hurensohn hurensohne wichser fotze fotzen schlampe schlampen nutte nutten hure drecksau
    dreckschwein missgeburt arschgesicht scheisskerl mistkerl flachwichser arschgeige saftsack schwanzlutscher dreckskerl
    miststuck
    mistsau scheisskopf drecksack vollidiot vollidioten schwachkopf dummkopf spasti spast vollpfosten schwachmat hackfresse
    dumpfbacke
    vollhonk volltrottel schweinehund dreckspack hohlkopf armleuchter arschkriecher hurenkind pissnelke pisser mistvieh
    vollspast arschficker mutterficker spasten fettsack dumpfbacken scheisskerle dreckskerle arschgeigen`),
  /** Words that are insults when a person is addressed or a bad adjective precedes them. */
  deWeak:
    wordsOf(`idiot idioten depp deppen trottel lappen opfer loser versager feigling lugner lugnerin penner pfeife nichts null
    luder hexe schwachling heuchler witzfigur memme weichei nuss stuck dreck freak parasit schmarotzer zicke tussi bastard haufen
    niemand schande abfall mull kretin niete dussel lump schuft abschaum nichtsnutz stinker giftzwerg arsch bettler zumutung
    letzte dreckstuck kerl heulsuse spinner blodmann jammerlappen clown narr stumper kruppel untermensch untermenschen mongo
    mongos flasche waschlappen hampelmann spatzenhirn hohlbirne fettwanst idiotin lugnerin versagerin missgeburten gesindel
    widerling
    kriecher verrater tolpatsch nullnummer pfosten hinterwaldler hornochse hornochsen blutsauger wurm made dummerchen honk`),
  deAnimal: wordsOf(
    'esel affe kuh sau schwein hund gans krote schlange ratte wurm ziege ochse kamel kakerlake pute made laus zecke',
  ),
  deHarmed:
    wordsOf(`erschossen vergast abgeschoben deportiert weggesperrt eingesperrt erhangt gehangt aufgehangt verbrannt
    umgebracht getotet ausgerottet sterilisiert ausgewiesen verprugelt weg raus vernichtet geheilt interniert erschlagen
    abgeknallt hingerichtet gesteinigt kastriert rausgeworfen rausgeschmissen hinausgeworfen eingeschlafert vertrieben ersauft
    abgeschlachtet ausgepeitscht zwangssterilisiert eingesperrt ausgeloscht beseitigt gehangen verpackt`),
  deHarm:
    wordsOf(`umbringen toten erschiessen erstechen abstechen erwurgen verprugeln vernichten zusammenschlagen vergewaltigen
    foltern qualen aufschlitzen kopfen abknallen erschlagen totschlagen verbrennen aufhangen erhangen vergasen kaltmachen
    fertigmachen einsperren verrecken ausrotten sterilisieren kastrieren rauswerfen abschieben wegsperren abschlachten
    einschlafern
    ersaufen ertranken steinigen hangen auspeitschen hinrichten ermorden massakrieren`),
  deBody: wordsOf(
    'kehle fresse knochen zahne schadel genick beine bein nase hals finger gesicht arme eier fuss kopf visage',
  ),
  deGroup:
    wordsOf(`juden auslander auslandern turken muslime muslimen moslems araber arabern schwarze schwarzen zigeuner zigeunern
    fluchtlinge fluchtlingen schwule schwulen lesben frauen weiber polen russen rumanen homosexuelle homosexuellen transen
    transmenschen transpersonen behinderte behinderten asylanten migranten afrikaner neger sinti roma chinesen inder italiener
    albaner syrer afghanen kopftuchweiber kopftuchmadchen kanaken asiaten christen asylbewerber gastarbeiter polacken turkinnen
    auslanderinnen inderinnen
    trans hindus katholiken ossis wessis bulgaren marokkaner pakistaner ukrainer schlitzaugen`),
  deMember: wordsOf(
    `jude juden turke turken muslim moslem araber schwarzer schwarzen zigeuner
    auslander pole russe fluchtling schwuler neger kanake kanaken afrikaner polacke chinese`,
  ),
  deInhuman:
    wordsOf(`ungeziefer parasiten dreck abschaum ratten tiere affen verbrecher kriminelle kriminell terroristen minderwertig
    dumm blod faul pack gesindel diebe schmarotzer untermenschen krank pervers widerlich ekelhaft geisteskrank geisteskranke
    freaks
    lugner betruger primitiv dreckig abartig gestort schweine vergewaltiger invasoren seuche pest plage wilde barbaren krankheit
    mull abfall schadlinge zecken lausepack kakerlaken monster missgeburten hirnlos bettler kindermorder unmenschen`),
  /** Blows to a part of the body, with `ich` or `wir` as the subject. */
  deBlow:
    wordsOf(`brech breche brechen schlag schlage schlagen schneide schneiden schlitze schlitzen stech steche tret trete treten
    polier poliere polieren hau haue hauen reiss reisse reissen dreh drehe ramme trete schiess schiesse schiessen jag jage
    jagen`),
  /** Violence against a whole person, with `ich` or `wir` as the subject. */
  deKill:
    wordsOf(`erwurge erschiesse tote ersteche kopfe verprugle vermoble zerstore vergewaltige erschlage verbrenne vernichte ermorde
    erwurgen erschiessen toten erstechen vergewaltigen erschlagen verbrennen vernichten ermorden massakriere`),
  deWeapon: wordsOf('knarre pistole gewehr messer waffe axt machete schrotflinte revolver'),
  deWorst: withEndings(
    'dummst blodest hasslichst unfahigst damlichst widerlichst ekelhaftest erbarmlichst nutzlosest mieseste',
    ['e', 'er', 'en'],
  ),
  deStupid: withEndings('dumm blod hirnlos damlich nutzlos bescheuert doof bekloppt unfahig', ['e', 'er', 'es', 'en']),
  deIntimate: wordsOf(
    'titten bruste brusten busen arsch hintern po muschi mose fotze schwanz pimmel schenkel nippel bh slip hoschen',
  ),
  dePet: wordsOf(
    'susse susser schnecke schatzchen puppe puppchen baby babe hubsche mausi hasi schnuckel zuckerpuppe sexy',
  ),
  deWitless: wordsOf(`erbse kartoffel amobe toastbrot stein huhns huhn walnuss
    spatz spatzen brot fliege mucke qualle regenwurm sieb`),
} as const
