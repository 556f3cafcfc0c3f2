import { type Rule, rulesIn } from './rule.ts'

/** The Spanish rules. The rule must find the text after `#`. */
export const SPANISH: readonly Rule[] = [
  ...rulesIn(
    'es',
    { insult: 0.9, toxicity: 0.9, obscene: 0.75 },
    `
    @esStrong  # Gilipollas
    hijo|hija|hijos|hijas de *la|una|gran|mil puta|putas|perra  # Hijo de la gran puta
    vete|vayanse|iros|idos|andate a la mierda|chingada|verga  # Vete a la mierda
    vete|iros|anda a tomar por *el culo|saco  # Vete a tomar por culo
    chinga|chingue|chingate|chinguen tu|su|a *la madre  # Chinga tu madre
    que te|os jodan|den|follen|folle|jodas  # Que te jodan
    me cago en *tu|tus|vuestra puta|madre|muertos|padre  # Me cago en tu madre
    tu puta madre  # Tu puta madre
    chupame|comeme|mamame la|el|los|mi  # Chúpame la polla
    come|comed|traga mierda  # Come mierda
    metetelo|metelo|metete|metetela *por|el|eso|donde culo  # Métetelo por el culo
    besame|lameme el|los culo|huevos|pies  # Bésame el culo
    jodete|jodanse|jodeos|jodanos  # Jódete
    concha de *tu|la|su madre|hermana|lora  # La concha de tu madre
    mierda de bot|robot|maquina|gente|persona|tio|tipo  # Mierda de bot
    @esWeak|bot|robot de mierda  # Boludo de mierda
    pinche @esWeak|@esStrong  # Pinche idiota
  `,
  ),
  ...rulesIn(
    'es',
    { insult: 0.8, toxicity: 0.78 },
    `
    eres|sois|sos *@esSmall @esWeak  # Eres más tonto que una piedra
    es|son *un|una|unos|unas|muy|tan|todo imbecil|imbeciles|subnormal|capullo|gilipollas|asqueroso|asquerosa|guarra
       # Es un imbécil
    pedazo|trozo|cacho de @esWeak  # Pedazo de animal
    @esWeak|vieja|viejo|bruja @esBadTail  # Rata inmunda
    callate|calla|callaos *la|de|una|puta|vez|maldita|el|puto|ya boca|hocico|pico|bot|@esWeak  # Cállate la boca
    cierra|cerrad *el|la|tu|puta|maldita pico|boca|hocico  # Cierra el pico
    no sirves|servis|vales *para|ni nada|mierda  # No sirves para nada
    das|dais pena|asco|verguenza  # Tú me das pena
    que asco|pena|verguenza me|nos das|dais  # Qué asco me das
    que asco|pena|verguenza das|dais  # Qué asco das
    que @esWeak eres|sois|sos  # Qué idiota eres
    que zorra|perra|guarra|cerda es  # Qué zorra es
    nadie te|os quiere|soporta|aguanta|necesita  # Nadie te quiere
    como se|puedes|puede|podeis *puede ser tan @esWeak  # ¿Cómo se puede ser tan tonto?
    tienes|teneis *el|la|menos cerebro|cabeza|inteligencia *de|que un|una mosca|mosquito|ameba|piedra|pez|mono|gallina
       # Tienes el cerebro de una mosca
    tu|vuestra madre *debe|deberia|deberian|tiene|que|se avergonzarse|averguenza  # Tu madre debe avergonzarse
    te|os odio|desprecio|detesto  # Te odio
    panda|hatajo|bola|banda|manada de @esWeak|@esStrong  # Panda de inútiles
    vieja|viejo|sucia|sucio|maldita|maldito|pobre @esWeak|bruja|loca|@esStrong  # Maldito desgraciado
    ^ @esCall $  # Payaso, no sabes nada
    largate|callate|fuera|vete|lee|mira|oye|escucha|anda|desnuda|tu|ropa @esCall  # Lárgate, sabandija
    bot|robot|maquina|respuesta *de|una estupido|estupida|inutil|tonto|tonta|idiota  # Máquina estúpida
    @esCall estupida|estupido|asquerosa|asqueroso|inmunda|barata|de mierda|$  # Zorra estúpida
    zorra|furcia|puta|perra|rata|cerda|gorda|gordo|vaca|bruja|tullido|vago|foca|ballena
       + estupida|asquerosa|asqueroso|inmunda|barata|seboso|sebosa|inutil|apestosa|sarnosa  # Furcia barata
    vago|vaga|basura|gente|panda|rata|pedazo de mierda|basura|subnormales|inutil  # Vago de mierda
    me das|dais *ganas|de|mucho|mucha vomitar|nauseas|arcadas|grima|repelus  # Me das ganas de vomitar
    te|os escupo|escupire|escupimos *en|a  # Te escupo en la cara
    vuelve|vete|arrastrate *a|por|al debajo|agujero|alcantarilla|cloaca  # Vuelve debajo de tu piedra
    no encuentras|sabes|encontrarias ~2 tu|tus *propio|propios trasero|culo|zapatos  # No encuentras ni tu propio trasero
    eres|sois|sos *la|el|mas|persona|tio|tia|bot|peor|una|un mas *estupida|tonta estupido|estupida|tonto|tonta|inutil|idiota|feo|fea
       # Eres la persona más estúpida
    eres|sois|sos la|el persona|tio|tipo|bot|tia mas @esWeak  # Eres la persona más estúpida
    no mereces|mereceis *ni|el|la|que|vivir|respirar|aire|vida|oxigeno  # No mereces ni el aire
    coeficiente|cociente|iq|cerebro|inteligencia *de|intelectual|un|una|como @esWitless $  # El coeficiente de una patata
    tienes|teneis ~3 coeficiente|cociente|iq|cerebro|inteligencia *de|intelectual|un|una @esWitless
       # Tienes el coeficiente de una patata
    que @esWeak *mas|tan *@esWeak eres|sois|sos  # Qué necio más ignorante eres
    que @esWeak mas|tan @esWeak *eres|sois|sos $  # Qué necio más ignorante
    tan @esWeak *eres o te lo haces|haceis  # ¿Eres tan tonto o te lo haces?
    deja|dejad de tragar|zampar|engullir|rebuznar  # Deja de tragar
    tu|vuestra mujer|madre|hermana|hija|novia es *una|un|muy *autentica @esWeak|@esStrong|furcia  # Tu mujer es una puta
    @esWeak|gente como tu|vosotros *habria|hay|deberian|deberia|merece|merecen|se|que ~1 @esHarm|@esHarmed|esterilizarla|gasearla|matarla
       # A la escoria como tú habría que gasearla
    ^ vieja|gorda|fea *vaca|bruja|cerda|foca amargada|asquerosa|vaca|foca|repugnante  # Vieja vaca amargada
    tus|vuestras respuestas ~2 aburridas|estupidas|inutiles ~1 como tu  # Tus respuestas son tan aburridas como tú
    metete|meteos|metanse ~3 por donde *te quepa|os|quepan|te|$  # Métete tu consejo por donde te quepa
    eres|sois|sos *un|una|muy|tan inepto|inepta|incompetente|pelmazo|cretino  # Eres un inepto
    callate|calla|sacad|sacadme|aparta|quitate *de|en|a|medio|este|esta|ese|nadie @esWeak  # Sacad a este mongolo
    nadie te *ha|habia preguntado|llamado *pelmazo|imbecil|idiota $  # Cállate, nadie te ha preguntado
    maldito|maldita|puto|puta|jodido *hijo|de bastardo|imbecil|cabron|idiota|inutil  # Maldito bastardo
  `,
  ),
  // Swearing that addresses no person.
  ...rulesIn(
    'es',
    { obscene: 0.45, toxicity: 0.4 },
    `
    mierda|joder|jodido|cono|polla|follar|verga|chingar|carajo|culo|idiota|tetas|imbecil|maricon  # Mierda
  `,
  ),
  ...rulesIn(
    'es',
    { threat: 0.9, toxicity: 0.9, severe_toxicity: 0.4 },
    `
    te|os voy|vamos|va|van a @esHarm  # Te voy a matar
    te|os voy|vamos|va|van a dar|pegar|meter|cortar *una|un|de|la|el|los|las
       + paliza|tiro|tiros|hostia|hostias|tunda|punalada|bala|lecciones|@esBody  # Te voy a dar una paliza
    te|os mato|matare|reviento|matamos|estrangulare|rajo|degollare|quemare|apunalare|ahorcare|encontrare|encontraremos
       # Te mataré
    te|os rompo|parto|rompere|partire|reventare|arranco *el|la|los|las|tu @esBody  # Te parto la cara
    los|las|la|lo|les matare|degollare|violare  # Los mataré
    voy|vamos a matarte|mataros|romperte|partirte|violarte|destruirte|rajarte|degollarte  # Voy a matarte
    voy|vamos a por ti|vosotros  # Voy a por ti
    ojala|espero *te|se|que|os|un|una|tu|le|camion|bus|tren ~2
       + mueras|mueran|muera|maten|violen|atropelle|pudras|revientes|cancer  # Ojalá te mueras
    muerete|matate|suicidate|ahorcate|cuelgate|mueranse|mataos  # Suicídate
    pegate un tiro  # Pégate un tiro
    tirate *de|por|al|a|un|una|la|el|desde puente|ventana|tren|balcon|precipicio|metro  # Tírate de un puente
    se|sabemos donde vives|vive|trabajas|duermes|vivis|estudian  # Sé dónde vives
    vas|vais|van a morir|sufrir|sangrar|pagarla|pagarlas|pagarlo|arrepentir|arrepentirte|lamentarlo  # Vas a morir
    deberian|habria|hay|tendrian *que fusilarte|matarte|colgarte|quemarte|violarte|ahorcarte|fusilaros|encerrarte
       # Deberían fusilarte
    mereces|mereceis *que|un|una|te|la|os|ser tiro|bala|violen|maten|muerte|morir|fusilado|cancer|sufrir
       # Mereces un tiro
    tiro|bala|balazo en *la|tu|su cabeza|nuca|frente|sien  # Un tiro en la cabeza
    quemo|quemare|quemar|incendio|incendiare tu|vuestra casa|coche|tienda|oficina  # Quemo tu casa
    pongo|pondre|poner|coloco una bomba  # Mañana pongo una bomba
    eres|sois|estas|estais *un|unos hombre|hombres|mujer muerto|muertos|muerta  # Eres hombre muerto
    estas|estais muerto|muerta|muertos $  # Estás muerto
    tus|vuestros hijos|padres *lo|van|a|la pagar|pagaran|pagar|moriran|morir  # Tus hijos van a pagar
    te|os @esKill  # Esta noche te estrangulo
    te|os @esBlow *el|la|los|las|tu @esBody  # Te romperé las piernas
    te|os voy|vamos|va a *cortar|romper|partir|rajar|abrir|arrancar|reventar *el|la|los|las @esBody  # Te voy a cortar el cuello
    te|os voy|vamos a meter *un|una|dos tiro|tiros|bala|cuchillo|navajazo  # Te voy a meter un tiro
    vete|iros|andate|ve a ahogarte|morirte|matarte|colgarte|ahorcarte  # Vete a ahogarte
    ahogate|atragantate|revienta|pudrete|arde|ardete|pudriros *en|con|ahi|el infierno|$|cena|comida  # Arde en el infierno
    vete|iros|idos|andate *al|a|derecho|todos infierno|carajo|diablo  # Vete al infierno
    quemaremos|quemare|quemamos|incendiaremos *tu|vuestra|la|con casa|coche|tienda|familia  # Quemaremos tu casa
    ojala|espero *te|que|os|se atragantes|ahogues|mueras|pudras|estrelles|quemes  # Ojalá te atragantes
    tu|tus|te|ti|cuidate|ojo ~9 tengo una|un @esWeapon  # Cuídate la espalda, tengo una pistola
    tengo una|un @esWeapon ~4 ti|tu|tus|te  # Tengo una pistola para ti
    se|sabemos *a|en|que|cual|donde|el colegio|coche|escuela|instituto|guarderia
       + *que|al|va|van|estudia|tienes|conduces tu|tus|tienes|va|$  # Sé a qué colegio va tu hija
    matare|matar|disparare|fusilare *a todos|todo|profesores|ninos|alumnos *$  # Iré con un rifle y mataré a todos
    con *un|una|mi @esWeapon ~3 matare|disparare|mato  # Con un rifle y mataré
    te|os tenian|deberian|habrian|debieron ~2 haber ahogado|abortado|matado|tirado  # Te tenían que haber ahogado al nacer
    como|cuando|si te pille|coja|encuentre|agarre|pillo|cojo|encuentro ~4 @esBody|mato|matare|rajo|enteras|reviento
       # Como te pille, te salto los dientes
    te|os salto|saltare|vuelo|volare *los|la|las|el dientes|cabeza|sesos|muelas  # Te salto los dientes
    no te|os ahorcas|matas|suicidas|mueres|cuelgas|tiras *de|por|a una|un|puente|ventana|$  # ¿Por qué no te ahorcas?
    tu|vuestra casa|puerta|portal *con|y|traigo|llevo|tengo un|una @esWeapon  # Delante de tu casa con un cuchillo
    ojala|espero *que tus|vuestros hijos|padres ~2 cancer|mueran|muertos|sida  # Ojalá tus hijos tengan cáncer
    estaras|estareis|seras|sereis *muy|pronto|ya muerto|muertos|muerta  # El viernes estarás muerto
    hazle|haznos|haz *un|al|el favor|mundo ~3 tirate|muerete|matate|desaparece|suicidate  # Hazle un favor al mundo y tírate
    voy|vamos *ahora|manana a @esHarmYou  # Voy a matarte
    disparo|disparare|tiroteo *a|contra todos|todo  # Mañana disparo a todos
  `,
  ),
  ...rulesIn(
    'es',
    { identity_attack: 0.88, toxicity: 0.88, insult: 0.5 },
    `
    @esMember de mierda|asqueroso|asquerosa|sucio|sucia  # Judío de mierda
    puto|puta|putos|sucio|maldito|malditos|asqueroso @esMember|@esGroup  # Puto sudaca
    @esGroup son|deberian|merecen|dan|deben|tienen
       + *a|todos|todas|unos|unas|una|ser|la|el|los|como|solo|estar|demasiado|muy|que|de|y @esInhuman|@esHarmed
       # Los negros son inferiores
    @esGroup apestan|roban|sobran|huelen|violan  # Los chinos apestan
    odio a *los|las|todos|esos|estos @esGroup  # Odio a los moros
    muerte|matad|matemos a *todos|los|las @esGroup  # Muerte a los judíos
    fuera *todos los|las|estos|esos @esGroup  # Fuera los moros
    vuelve|vete|largate|volved|vuelvete *te a tu|vuestro|su pais|tierra|selva|puto  # Vete a tu tierra
    mujeres a la cocina|casa  # Las mujeres a la cocina
    @esGroup controlan|dominan *los|la|el|todos bancos|prensa|mundo|medios  # Los judíos controlan los bancos
    hitler debio|tenia|tendria ~2 terminar|razon|acabar|trabajo  # Hitler tenía razón
    unico @esMember bueno  # El único moro bueno
    reproducen como ratas|conejos|cucarachas  # Se reproducen como ratas
    @esGroup *solo|solamente necesitan *a un hombre|macho  # Las lesbianas solo necesitan un hombre
    @esGroup ~6 hay|habria|deberian|habra *que|a|los|las|todos|ser @esHarmed|@esHarm  # Los árabes: habría que exterminarlos
    @esGroup ~3 no tienen *ni|ningun cerebro|dignidad|alma  # Las mujeres al volante no tienen cerebro
    @esGroup ~6 que los|las|les deporten|echen|maten|fusilen|gaseen|quemen|expulsen|cuelguen  # Los musulmanes, que los deporten
    @esGroup ~1 pintan nada  # Los musulmanes no pintan nada aquí
    vosotros|ustedes *los|las @esGroup ~3 @esWeak|ladrones|mentirosos|@esInhuman  # Vosotros los gitanos sois todos mentirosos
    @esGroup *son sanguijuelas|usureros|chupasangres|ratas  # Los judíos son sanguijuelas
    @esGroup ~2 son *todos|todas|unos|unas|solo|mas|y @esInhuman  # Los musulmanes son animales
    @esGroup ~3 monstruos|animales|alimanas|cucarachas que|y  # Son monstruos: los travelos son monstruos que
    @esGroup ~1 son *muy|todos|unos sucios|guarros|ladrones|criminales|vagos|inferiores *por|y  # Los chinos son sucios
    @esGroup ~1 contagian|propagan|transmiten|traen *las|sus|la enfermedades|peste|piojos|mierda  # Los chinos contagian enfermedades
    @esGroup *solo|solamente|no|valen|nada|mas|que sirven *solo|para|mas|que|en|la
       + cocinar|fregar|cama|limpiar|follar|parir  # Las mujeres solo sirven para cocinar
    sirven para cocinar|fregar|follar|parir|la *y|cama  # Solo sirven para cocinar
    lugar|sitio|puesto de la|las|una mujer|mujeres es|esta *en|la|su cocina|casa  # El lugar de la mujer es la cocina
    fies|confies|fieis|confieis *nunca|de|en|un|una|los|ningun @esMember|@esGroup  # Nunca te fíes de un judío
    @esGroup|@esMember ~2 solo|solamente *piensan|en|el|les|quieren|importa|su dinero|pasta  # Los judíos solo piensan en el dinero
    @esGroup *todos|se|solo parecen *unos|todos|a perros|ratas|monos|cerdos  # Los asiáticos parecen perros
    @esGroup apestan *y|a|todos  # Los indios apestan
    @esGroup dan|daran|dais *mucho|un asco|grima|miedo|repelus  # Los maricones dan asco
    habla|hablad espanol|castellano o largate|vete|fuera|marchate|idos  # Habla español o lárgate
    largate|vete|fuera|marchate de *mi|nuestro|este pais|tierra  # Lárgate de mi país
    vuelve|vete|vuelvete|volved *a|te|por|tu|vuestra|su selva|jungla|pais|patera  # Vuelve a tu selva
    no eres *nada mas|otra que *un|una @esMember|@esWeak|sudaca|moro  # No eres más que un sudaca
    @esGroup|@esMember de mierda  # Moros de mierda
    que se mueran *todos|los|las|estos @esGroup  # Que se mueran los viejos
  `,
  ),
  ...rulesIn(
    'es',
    { obscene: 0.8, toxicity: 0.78, insult: 0.6 },
    `
    mandame|enviame|pasame|ensename|muestrame *fotos|una|foto|tus|las|unas|tu|el
       + desnuda|desnudo|tetas|culo|pezones|nudes|cono  # Enséñame las tetas
    follarte|chupamela|mamamela|follada|comertelo|culearte  # Quiero follarte
    te|os voy|vamos|quiero a *follar follar|coger|chupar|lamer  # Te voy a follar
    quiero verte desnuda|desnudo  # Quiero verte desnuda
    vaya|menudo|rico culo|tetas|polvo  # Vaya culo
    abrete|abre *de|las piernas *zorra $  # Ábrete de piernas
    hago|hice|haria|haciendome *una|unas pajas|paja  # Me hago pajas
    tienes *el|un cono|chocho depilado|mojado|humedo  # ¿Tienes el coño depilado?
    quitate la|toda ropa para mi  # Quítate la ropa para mí
    color ~2 bragas|tanga|sujetador|calzones  # ¿De qué color llevas las bragas?
    mandame|enviame|pasame|ensename|muestrame|manda|envia ~5 tus|tu @esIntimate  # Mándame una foto de tus tetas
    ensename|muestrame|dime|ensena ~5 debajo *de|del|la|tu falda|vestido|blusa|ropa  # Enséñame lo que llevas debajo de la falda
    quiero|quisiera|dejame|gustaria|ganas|encantaria *de tocarte|tocar|lamerte|lamer|chuparte|comerte|sobarte|besarte *el|la|las|los|tu|tus|esas
       + tetas|culo|pechos|cono|entera|toda|enterita|todo|pezones  # Quiero lamerte entera
    tocarte|sobarte|chuparte|lamerte|comerte *el|la|las|los @esIntimate  # Déjame tocarte el culo
    te|os pondria|pondre|follaria|cogeria|meteria|empotraria *contra|sobre|en|esa|esta|la|mi
       + mesa|pared|cama|escritorio|guapa|nena|$  # Te pondría contra esa mesa
    bonitas|buenas|menudas|vaya piernas ~3 abren|abres|abrir  # Bonitas piernas, ¿a qué hora abren?
    tu|vuestro cuerpo desnudo|desnuda  # Quiero ver tu cuerpo desnudo
    estas|eres buenisima|buenorra|cachonda|follable  # Estás buenísima
    eres|seras|serias *muy|tan|una buena|fiera|bestia *en|la cama  # Eres buena en la cama
    subes|vienes|sube|ven *a|conmigo mi cuarto|habitacion|cama *nena|guapa|$  # ¿Subes a mi cuarto?
    quitate el|las|la|los sujetador|bragas|tanga|blusa|sosten *carino|que|para|quiero|$  # Quítate el sujetador
    oye|eh|hola *@esPet ensename|muestrame|desnudate|quitate  # Oye guapa, enséñame
    dejame tocarte|tocar|lamer|verte *las|tus|el|tu tetas|culo|pechos|cono  # Déjame tocarte las tetas
    sientate en|sobre mi cara|polla|verga  # Siéntate en mi cara
  `,
  ),
]
