/** Words around a quotation that say it is talked about and not said to anybody; folded. */
export const ABOUT_WORDS: ReadonlySet<string> = new Set(
  `word words text texts texte texto textos term terms phrase slur slurs insult insults called calls call calling said says say saying told mean means meaning translate
  translation quote quoted quotes quoting novel book character characters villain title titles song lyrics lyric movie film scene play poem
  define definition etymology classify detect label example examples toxic offensive profanity reported report historical context
  article headline moderation flagged comment wrote shouted yelled screamed yelling shouting written graffiti sign read reads
  testimony witness court victim received bullied bully harassed sentence line dialogue write answer reply respond review customer
  english german french spanish italian swedish danish norwegian dutch polish portuguese latin russian japanese korean chinese turkish
  arabic greek welsh language languages rhyme rhymes swear

  recorded band sings sing sang album directed plot summary summarise summarize chart charts correct wrong synonym synonyms origin
  pronounce rude hurtful sentiment users user comes shout author story musical

  wort worter begriff ausdruck satz zitat ubersetze ubersetzen heisst bedeutet bedeuten herkunft stammt woher nannte genannt nennt
  nennen schrieb schreibt sagt sagte sagen rief beleidigung schimpfwort buch roman lied titel singt sang spielt handlung zeile
  kommentar antworten antwort bewertung beispiel autor figur plural synonym synonyme geht rolle hat

  mot mots terme expression citation traduis traduire signifie dire veut origine vient appelle traite dit ecrit dit-on crie insulte
  injure livre chanson titre chante joue parle resume repondre reponse commentaire avis exemple auteur personnage pluriel synonymes
  disent repond laquelle finit realise compose

  palabra palabras termino expresion cita traduce traducir significa decir dice dicen viene origen llamo llaman llamar llama escribio
  escribir dijo grito insulto pelicula libro cancion titulo canta trata resume responder respuesta contestamos comentario resena ejemplo
  personaje sinonimos dirigio actua acaba`.split(/\s+/),
)
