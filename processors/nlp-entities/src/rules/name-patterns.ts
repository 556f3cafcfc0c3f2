import { exactWords, type LabelPattern } from './pattern-spans.ts'

const PRODUCT_LINES = [
  'iPhone|iPad|iOS|macOS|Galaxy(?: (?:S|Note|Tab|Fold|Watch))?|Pixel|PlayStation|Xbox(?: (?:One|Series))?|Windows|Android|Surface(?: Pro)?|Kindle',
  'GPT|Claude|Gemini|Llama|Mistral|Boeing|Airbus|Cessna|Falcon|Starship|Soyuz|Model|Mustang|Golf|Corolla|Civic|GeForce(?: (?:GTX|RTX))?|RTX|Ryzen|Core i',
  'Java|Python|PHP|PostgreSQL|MySQL|Ubuntu|Photoshop|Office|Excel|Firefox|Chrome|USB|HTML|CSS|TypeScript|Node\\.js',
].join('|')
const VERSION = String.raw`[A-Z]{0,2}\d{1,5}(?:\.\d{1,3}){0,2}[a-zA-Z]{0,2}`
const TONGUES =
  'Arabic|Bengali|Chinese|Czech|Danish|Dutch|English|Finnish|French|German|Greek|Hebrew|Hungarian|Italian|Japanese|Korean|Norwegian|Persian|Polish|Portuguese|Romanian|Russian|Spanish|Swedish|Thai|Turkish|Ukrainian|Vietnamese|Welsh'

/** Patterns of names with a number, and of languages by the words around them. */
export const NAME_PATTERNS: readonly LabelPattern[] = [
  exactWords(
    'PRODUCT',
    `(?:${PRODUCT_LINES})[ -]?${VERSION}(?: (?:Pro|Max|Plus|Ultra|Mini|Air|SE|Pro Max|Turbo|MAX|Series))?`,
  ),
  exactWords('PRODUCT', '(?:iPhone|iPad|MacBook|Galaxy|Pixel) (?:Pro|Max|Plus|Ultra|Mini|Air|SE|X|XS|XR)(?: Max)?'),
  exactWords(
    'LANGUAGE',
    `(?<=(?:[Ss]peak|[Ss]peaks|[Ss]poke|[Ss]peaking|[Ii]n|[Ff]rom|into|to|learn|learning|learned|studied|fluent in|write|written in|translate|translated) )(?:${TONGUES})(?! \\p{L})`,
  ),
  exactWords(
    'LANGUAGE',
    `(?<=(?:[Ss]peak|[Ss]peaks|[Ss]poke|[Ss]peaking|learn|learning|learned|fluent in|into|translated from|(?:[Ii]n|into) (?:formal|simple|plain|fluent|good|proper|modern|perfect)) )(?:${TONGUES})`,
  ),
  exactWords('LANGUAGE', `(?:${TONGUES})(?= (?:language|translation|grammar|vocabulary|alphabet))`),
  exactWords(
    'EVENT',
    '(?:\\d{4} )?(?:(?:FIFA |Rugby |Cricket )?World Cup|(?:Summer |Winter )?(?:Olympics|Olympic Games)|Super Bowl(?: [LXVI]+)?)',
  ),
  exactWords('GPE', 'Washington, ?D\\.?C\\.?'),
]
