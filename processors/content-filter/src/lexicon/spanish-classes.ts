import { wordsOf } from './rule.ts'

/** Words of the Spanish rules; folded, so without accents. */
export const SPANISH_CLASSES = {
  esSmall:
    wordsOf(`un una unos unas muy tan mas el la realmente completamente totalmente puto puta maldito maldita pedazo de todos todas
    demasiado solo solamente bien y un autentico verdadero verdadera autentica`),
  /** Insults by themselves. */
  esStrong:
    wordsOf(`gilipollas pendejo pendeja pendejos hijoputa hijueputa malparido soplapollas chupapollas cabron cabrones culero
    culera mamaguevo comemierda comemierdas puta putas putita putilla carapolla malnacido malnacida hdp ctm hijadeputa hijodeputa`),
  /** Insults where somebody is addressed. */
  esWeak:
    wordsOf(`idiota idiotas imbecil imbeciles estupido estupida estupidos estupidas tonto tonta tontos tontas inutil inutiles basura
    subnormal subnormales retrasado retrasada tarado tarada mongolo capullo payaso payasa asqueroso asquerosa asquerosos cerdo cerda
    burro burra zorra perra puto feo fea gorda gordo patetico patetica escoria perdedor perdedora fracasado fracasada cobarde
    cobardes mentiroso mentirosa ladron ladrona pelotudo pelotuda boludo boluda mierda asco rata sabandija gusano desgraciado
    desgraciada animal bestia bruto bobo boba necio memo lerdo zoquete ignorante incompetente vago hipocrita traidor canalla
    miserable mamon mamarracho adefesio engendro bicho verguenza guarra guarro parasito macaco bastardo nadie anormal despojo`),
  /** Insults that need no more than the start of a sentence. */
  esCall:
    wordsOf(`payaso imbecil idiota estupido estupida inutil cobarde sabandija fracasado boludo pelotudo subnormal capullo
    desgraciado basura escoria mamon tarado retrasado miserable asqueroso guarra zorra perra imbeciles idiotas`),
  esBadTail: wordsOf('asqueroso asquerosa inmundo inmunda repugnante mentiroso mentirosa sucio sucia traidora'),
  esBody: wordsOf('cara piernas dientes cabeza cuello boca huesos cuchillo brazos nariz garganta crisma alma'),
  esHarm:
    wordsOf(`matar romper partir reventar destruir quemar degollar violar rajar clavar apunalar estrangular arrancar torturar
    moler descuartizar disparar colgar ahorcar fusilar machacar destrozar`),
  esGroup:
    wordsOf(`judios moros negros gitanos musulmanes inmigrantes extranjeros refugiados homosexuales gays maricones lesbianas trans
    mujeres arabes chinos sudacas discapacitados rumanos marroquies africanos indios latinos polacos cristianos travestis
    feministas transexuales viejos mexicanos venezolanos bolivianos`),
  esMember: wordsOf(
    'judio judia moro mora negro negra maricon gitano gitana indio india sudaca chino panchito musulman mono macaco parasito extranjero travelo bollera',
  ),
  esInhuman:
    wordsOf(`plaga basura escoria animales ladrones criminales parasitos ratas terroristas inferiores asquerosos asquerosas
    enfermos enfermas delincuentes tontas tontos estupidas estupidos asco pervertidos pervertidas cerdos monos salvajes violadores
    vagos lacra cancer carga sucios inutiles locos locas fuera morir putas escoria tarados anormales`),
  esHarmed:
    wordsOf(`expulsados fusilados gaseados exterminados encerrados quemados colgados deportados muertos matados eliminados
    esterilizados castrados echados curados prohibidos`),
} as const
