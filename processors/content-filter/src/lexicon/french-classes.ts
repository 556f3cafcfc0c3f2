import { wordsOf } from './rule.ts'

/** Word classes of the French rules; folded, so without accents. `t'es` is also read as `tes`. */
export const FRENCH_CLASSES = {
  frYou: wordsOf('tu t tes vous'),
  frSmall:
    wordsOf(`es est etes n ne vraiment trop qu que un une si tellement completement le la les l pauvre gros grosse sale sales
    petit
    petite rien tous toutes des de d aussi plus moins bien juste franchement vous vieux vieille tout`),
  /** Words that are insults by themselves. */
  frStrong:
    wordsOf(`connard connards connasse connasses salope salopes encule encules enculee enculees pute putes pouffiasse
    pouffiasses trouduc couillon couillons salopard salopards enfoire enfoires branleur branleurs petasse grognasse tocard
    abruti abrutis abrutie ntm fdp vtff`),
  /** Words that are insults when a person is addressed. */
  frWeak:
    wordsOf(`con cons conne connes idiot idiote idiots idiotes imbecile imbeciles debile debiles cretin cretine cretins minable
    minables nul nulle nuls bouffon bouffonne clochard raclure pourriture ordure fumier dechet merde lache menteur menteuse
    menteurs
    laideron rate ratee tache garce batard batarde batards salaud salauds attarde attardee mongol gogol moche laid laide stupide
    stupides bete betes incapable incapables degueulasse degoutant degoutante pathetique schnock boulet guignol pitre escroc
    traitre
    cloporte larve loque thon cageot honte naze nazes parasite branleur cochonne inutile loser sous-merde pouffe connard connasse
    pouffiasse faineant faineante feignasse incompetent incompetente ignare ignorant ignorante andouille voleur gogole mongolien
    mongols gogols trisomique trisomiques infirme sauvage monstre ane hypocrite arriere arrieree repugnant repugnante hideux
    sous-homme sous-hommes vermine serpent vipere trainee clown charogne pourri nullard benet nigaud demeure plouc dinde nouille
    patate cornichon cruche truffe`),
  /** Words used only for people, so that `quel` or `pauvre` before them is enough. */
  frPerson: wordsOf(
    `con conne idiot idiote imbecile debile cretin minable raclure
    garce tocard abruti schnock naze tache merde salaud batard loser`,
  ),
  frAnimal: wordsOf(
    `porc porcs truie vache chien chiens chienne rat rats cafard cafards
    singe singes macaque cochon thon vermine serpent vipere cloporte ordure dinde`,
  ),
  frHarm:
    wordsOf(`tuer buter egorger crever defoncer frapper violer massacrer bruler demonter etrangler poignarder fumer eclater
    saigner torturer pendre tabasser ecraser fusiller abattre gazer guillotiner flinguer noyer cogner retrouver trancher planter
    exterminer violer casser
    peter couper steriliser castrer lyncher`),
  frBody: wordsOf('gueule dents jambes tete bras nez gorge os genoux couteau machoire doigts ventre face'),
  frGroup:
    wordsOf(`juifs arabes noirs musulmans gitans roms tsiganes immigres migrants etrangers refugies homosexuels homos gays pedes
    lesbiennes trans femmes handicapes polonais roumains africains chinois asiatiques turcs maghrebins algeriens chretiens negres
    rebeus portugais meufs indiens pakistanais asiates gouines travelos travestis transsexuels turques musulmanes juives
    catholiques
    manouches syriens afghans marocains tunisiens gogols`),
  frMember: wordsOf(
    `juif juive arabe musulmane polonais roumain chinoise noir noire musulman gitan
    rom migrant etranger homosexuel homo gay pede negre turc chinois lesbienne`,
  ),
  frSlur: wordsOf(
    'bougnoule bougnoules youpin youpins tarlouze tarlouzes tantouze tantouzes bicot bicots negro bamboula crouille',
  ),
  frInhuman:
    wordsOf(`vermine parasites rats animaux cafards voleurs voleuses criminels terroristes inferieurs inferieures degoutants
    degoutantes pervers perverses malades sales betes stupides cons connes debiles racaille singes violeurs paresseux feneants
    menteurs plaie peste cancer dechets poids fardeau monstres idiots idiotes nuls chiens porcs sous-hommes sauvages abomination
    mendiants moutons maladie fleau sangsues delinquants barbares sournois radins primitifs envahisseurs`),
  frHarmed:
    wordsOf(`expulses fusilles gazes tues enfermes brules pendus extermines deportes renvoyes crever mourir sterilises virer
    exterminer tuer buter abattre fusiller gazer enfermer expulser steriliser tabasser bruler
    pendre castrer chasser renvoyer frapper
    vires dehors elimines abattus expulsees enfermees soignes interdits`),
  /** Future and present of blows to a part of the body. */
  frBlow:
    wordsOf(`casse casserai pete peterai brise briserai explose exploserai arrache arracherai coupe couperai tranche trancherai
    ouvre ouvrirai plante planterai defonce defoncerai eclate eclaterai fends fendrai tords tordrai`),
  frKill:
    wordsOf(`tue tuerai bute buterai egorge egorgerai defonce defoncerai massacre massacrerai etrangle etranglerai flingue
    flinguerai
    poignarde poignarderai viole violerai brule brulerai noie noierai demonte demonterai fracasse fracasserai abats abattrai`),
  frWeapon: wordsOf('flingue fusil pistolet couteau arme hache machette revolver kalach'),
  frIntimate: wordsOf('seins nichons cul fesses chatte bite nibards tetons cuisses queue culotte string soutif jupe'),
  frPet: wordsOf('belle beaute jolie cherie bebe poupee mignonne coquine ma-jolie beaugosse'),
  frWitless: wordsOf(
    'pois amibe moineau huitre poisson mouche moule patate navet caillou poule moustique bulot escargot',
  ),
} as const
