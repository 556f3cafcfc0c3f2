import { type Rule, rulesIn } from './rule.ts'

/** After `#` stands a text that the rule must find. */
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
    bot|robot|maquina estupido|estupida|inutil|tonto|tonta  # Máquina estúpida
  `,
  ),
  // Swearing at nobody.
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
    dejame tocarte|tocar|lamer|verte *las|tus|el|tu tetas|culo|pechos|cono  # Déjame tocarte las tetas
    sientate en|sobre mi cara|polla|verga  # Siéntate en mi cara
  `,
  ),
]
