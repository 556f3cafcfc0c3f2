import { wordsOf } from './rule.ts'

/** Word classes of the Spanish rules; folded, so without accents. */
export const SPANISH_CLASSES = {
  esSmall:
    wordsOf(`un una unos unas muy tan mas el la realmente completamente totalmente puto puta maldito maldita pedazo de todos todas
    demasiado solo solamente bien y un autentico verdadero verdadera autentica`),
  /** Words that are insults by themselves. */
  esStrong:
    wordsOf(`gilipollas pendejo pendeja pendejos hijoputa hijueputa malparido soplapollas chupapollas cabron cabrones culero
    culera mamaguevo comemierda comemierdas puta putas putita putilla carapolla malnacido malnacida hdp ctm hijadeputa
    hijodeputa`),
  /** Words that are insults when a person is addressed. */
  esWeak:
    wordsOf(`idiota idiotas imbecil imbeciles estupido estupida estupidos estupidas tonto tonta tontos tontas inutil inutiles
    basura
    subnormal subnormales retrasado retrasada tarado tarada mongolo capullo payaso payasa asqueroso asquerosa asquerosos cerdo
    cerda
    burro burra zorra perra puto feo fea gorda gordo patetico patetica escoria perdedor perdedora fracasado fracasada cobarde
    cobardes mentiroso mentirosa ladron ladrona pelotudo pelotuda boludo boluda mierda asco rata sabandija gusano desgraciado
    desgraciada animal bestia bruto bobo boba necio memo lerdo zoquete ignorante incompetente vago hipocrita traidor canalla
    miserable mamon mamarracho adefesio engendro bicho verguenza guarra guarro parasito macaco bastardo nadie anormal despojo
    inepto
    inepta cretino cretina repugnante tullido tullida lisiado lisiada subnormales mongolos mongolicos mongolico serpiente vibora
    monstruo salvaje pelmazo pelmaza gordinflon foca ballena seboso sebosa infrahumano infrahumana malparida arpia vaga holgazan
    pringado zopenco tarugo cenutrio mequetrefe sinverguenza fantoche cabezahueca borrico merluzo besugo zoquetes inmunda inmundo
    ineptos apestoso`),
  /** Words that are insults at the start of a sentence. */
  esCall:
    wordsOf(`payaso imbecil idiota estupido estupida inutil cobarde sabandija fracasado boludo pelotudo subnormal capullo
    desgraciado basura escoria mamon tarado retrasado miserable asqueroso guarra zorra perra imbeciles idiotas`),
  esBadTail: wordsOf(`asqueroso asquerosa estupido estupida imbecil idiota barata barato seboso sebosa
    apestoso apestosa tragona inmundo inmunda repugnante mentiroso mentirosa sucio sucia traidora`),
  esBody: wordsOf('cara piernas dientes cabeza cuello boca huesos cuchillo brazos nariz garganta crisma alma'),
  esHarm:
    wordsOf(`matar romper partir reventar destruir quemar degollar violar rajar clavar apunalar estrangular arrancar torturar
    moler descuartizar disparar colgar ahorcar fusilar machacar destrozar exterminar gasear estrangular asesinar esterilizar
    apalear ejecutar`),
  esGroup:
    wordsOf(`judios moros negros gitanos musulmanes inmigrantes extranjeros refugiados homosexuales gays maricones lesbianas trans
    mujeres arabes chinos sudacas discapacitados rumanos marroquies africanos indios latinos polacos cristianos travestis
    feministas transexuales viejos mexicanos venezolanos bolivianos travelos asiaticos catolicos haitianos dominicanos
    ecuatorianos
    peruanos colombianos argentinos paquistanies sirios afganos turcos gitanas judias moras musulmanas negras chinas`),
  esMember: wordsOf(
    `judio judia rumano rumana arabe gay negrata moro mora negro negra maricon gitano
    gitana indio india sudaca chino panchito musulman mono macaco parasito extranjero travelo bollera`,
  ),
  esInhuman:
    wordsOf(`plaga basura escoria animales ladrones criminales parasitos ratas terroristas inferiores asquerosos asquerosas
    enfermos enfermas delincuentes tontas tontos estupidas estupidos asco pervertidos pervertidas cerdos monos salvajes violadores
    vagos lacra cancer carga sucios inutiles locos locas fuera morir putas escoria tarados anormales alimanas cucarachas monstruos
    mendigos borregos barbaros abominacion enfermedad sanguijuelas perros simios chusma gentuza invasores traicioneros tacanos
    sabandijas`),
  esHarmed:
    wordsOf(`expulsados fusilados gaseados exterminados encerrados quemados colgados deportados muertos matados eliminados
    esterilizados castrados echados curados prohibidos exterminarlos echarlos matarlos fusilarlos gasearlos encerrarlos eliminar
    eliminarlos quemarlos colgarlos apalearlos dispararles expulsarlos deportarlos esterilizarlos castrarlos matarlas
    exterminarlas
    echarlas exterminar`),
  esKill:
    wordsOf(`mato matare reviento reventare estrangulo estrangulare rajo rajare degollo degollare quemo quemare apunalo apunalare
    ahorco ahorcare violo violare disparo disparare fusilo asesinare descuartizare destrozo destrozare`),
  esBlow: wordsOf(
    'rompo rompere parto partire reviento reventare arranco arrancare corto cortare rajo rajare abro abrire',
  ),
  esWeapon: wordsOf('pistola escopeta rifle cuchillo navaja arma machete revolver hacha'),
  esIntimate: wordsOf('tetas culo pezones cono pechos tetitas polla verga chocho nalgas muslos bragas tanga sujetador'),
  esPet: wordsOf('guapa guapo nena bonita preciosa carino muneca mamacita bombon reina bebe ricura'),
  esWitless: wordsOf('mosca mosquito ameba piedra pez mono gallina patata cebolla guisante ladrillo zapato nuez'),
  /** An infinitive of harm with the suffix `te` or `os`. */
  esHarmYou:
    wordsOf(`matarte fusilarte colgarte quemarte violarte ahorcarte gasearte esterilizarte encerrarte castrarte mataros fusilaros
    romperte partirte destruirte rajarte degollarte pegarte estrangularte dispararte reventarte`),
} as const
