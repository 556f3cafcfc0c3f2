import { withEndings, wordsOf } from './rule.ts'

const ADJECTIVE_ENDINGS = ['', 'e', 'er', 'es', 'en', 'em']

/** Words of the German rules; folded, so without umlauts. */
export const GERMAN_CLASSES = {
  /** Small words between `du bist` and the insult. */
  deSmall:
    wordsOf(`so echt total einfach wirklich nur doch ja ein eine einen der die das richtig ganz vollig komplett absolut zu
    viel mal als wie und bloss sowas von kleiner kleine kleines grosser grosse alter alte alle`),
  deBad: withEndings(
    `dumm blod doof damlich dusslig hasslich widerlich erbarmlich mies elend verdammt verlogen verkommen dreckig nutzlos wertlos
    unfahig hirnlos behindert bescheuert bekloppt geisteskrank pervers falsch feig armselig abartig verfickt beschissen gestort
    unnutz lacherlich jammerlich ekelhaft peinlich strohdumm strunzdumm saublod scheiss fett hinterhaltig`,
    ADJECTIVE_ENDINGS,
  ),
  /** Insults by themselves. */
  deStrong:
    wordsOf(`arschloch arschlocher hurensohn hurensohne wichser fotze fotzen schlampe schlampen nutte nutten hure drecksau
    dreckschwein missgeburt arschgesicht scheisskerl mistkerl flachwichser arschgeige saftsack schwanzlutscher dreckskerl miststuck
    mistsau scheisskopf drecksack vollidiot vollidioten schwachkopf dummkopf spasti spast vollpfosten schwachmat hackfresse dumpfbacke
    vollhonk volltrottel schweinehund dreckspack hohlkopf armleuchter arschkriecher hurenkind pissnelke pisser mistvieh
    vollspast arschficker mutterficker`),
  /** Insults where somebody is addressed or a bad adjective stands before them. */
  deWeak:
    wordsOf(`idiot idioten depp deppen trottel lappen opfer loser versager feigling lugner lugnerin penner pfeife nichts null
    luder hexe schwachling heuchler witzfigur memme weichei nuss stuck dreck freak parasit schmarotzer zicke tussi bastard haufen
    niemand schande abfall mull kretin niete dussel lump schuft abschaum nichtsnutz stinker giftzwerg arsch bettler zumutung
    letzte dreckstuck kerl heulsuse spinner blodmann jammerlappen`),
  deAnimal: wordsOf(
    'esel affe kuh sau schwein hund gans krote schlange ratte wurm ziege ochse kamel kakerlake pute made laus zecke',
  ),
  deHarmed:
    wordsOf(`erschossen vergast abgeschoben deportiert weggesperrt eingesperrt erhangt gehangt aufgehangt verbrannt
    umgebracht getotet ausgerottet sterilisiert ausgewiesen verprugelt weg raus vernichtet geheilt interniert erschlagen
    abgeknallt hingerichtet gesteinigt kastriert`),
  deHarm:
    wordsOf(`umbringen toten erschiessen erstechen abstechen erwurgen verprugeln vernichten zusammenschlagen vergewaltigen
    foltern qualen aufschlitzen kopfen abknallen erschlagen totschlagen verbrennen aufhangen erhangen vergasen kaltmachen
    fertigmachen einsperren verrecken`),
  deBody: wordsOf(
    'kehle fresse knochen zahne schadel genick beine bein nase hals finger gesicht arme eier fuss kopf visage',
  ),
  deGroup:
    wordsOf(`juden auslander auslandern turken muslime muslimen moslems araber arabern schwarze schwarzen zigeuner zigeunern
    fluchtlinge fluchtlingen schwule schwulen lesben frauen weiber polen russen rumanen homosexuelle homosexuellen transen
    transmenschen transpersonen behinderte behinderten asylanten migranten afrikaner neger sinti roma chinesen inder italiener
    albaner syrer afghanen kopftuchweiber kopftuchmadchen kanaken asiaten christen asylbewerber gastarbeiter`),
  deMember: wordsOf(
    'jude turke muslim moslem araber schwarzer zigeuner auslander pole russe fluchtling schwuler neger kanake afrikaner',
  ),
  deInhuman:
    wordsOf(`ungeziefer parasiten dreck abschaum ratten tiere affen verbrecher kriminelle kriminell terroristen minderwertig
    dumm blod faul pack gesindel diebe schmarotzer untermenschen krank pervers widerlich ekelhaft geisteskrank geisteskranke freaks
    lugner betruger primitiv dreckig abartig gestort schweine vergewaltiger invasoren seuche pest plage wilde barbaren krankheit
    mull abfall schadlinge zecken lausepack`),
} as const
