import {
  DIGITS,
  exactWords,
  type LabelPattern,
  NUMBER,
  NUMBER_OR_RANGE,
  ORDINAL,
  SPELLED,
  VAGUE,
  wholeWords,
} from './pattern-spans.ts'

const SIGN = String.raw`(?:(?:US|CA|AU|NZ|HK|A|C|S|R)?\$|[€£¥₹₩₽₺₪฿])`
const CODE =
  '(?:USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|TRY|KRW|SGD|HKD|THB|BTC)'
const SCALE = String.raw`(?:[ -]?(?:thousand|million|billion|trillion)|[ ]?(?:bn|mn|tn|[mbkMBK]))(?![\p{L}])`
const PRICE = `${DIGITS}(?:${SCALE})?`
const COIN = [
  '(?:(?:US|U\\.S\\.|American|Canadian|Australian|Hong Kong|Singapore|New Zealand) )?dollars?',
  'euros?|cents?|pence|pounds sterling|yen|yuan|renminbi|rupees?|roubles?|rubles?|(?:Swiss )?francs?|pesos?|reais|won|rand',
  '(?:Swedish |Norwegian |Danish )?kron(?:a|or|er|e)|shekels?|dirhams?|riyals?|bitcoins?|zlotys?|liras?|bucks|quid',
].join('|')
/** Pounds as money, not as weight. */
const POUNDS = String.raw`pounds(?! of )(?<!(?:weigh|weight|weighs|weighed|weighing|lost|gained|lift|lifted|heavy)\b.{0,40})`

const LENGTH =
  'kilomet(?:er|re)s?|met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|miles?|feet|foot|inch(?:es)?|yards?|km|cm|mm|mi|ft|nautical miles?|light[- ]years?'
const AREA =
  '(?:square|cubic) (?:kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|inches|yards)|acres?|hectares?|km²|m²|km2|m2|sq ?ft'
const WEIGHT =
  '(?:metric )?tons?|tonnes?|kilograms?|kilos?|grams?|milligrams?|micrograms?|ounces?|pounds?|lbs?|kg|mg|oz'
const VOLUME = 'lit(?:er|re)s?|millilit(?:er|re)s?|gallons?|pints?|quarts?|cups|tablespoons?|teaspoons?|barrels?|ml'
const OTHER_UNITS = [
  'degrees?(?: (?:Celsius|Fahrenheit|C|F))?|° ?[CF]|kelvin',
  'mph|km/h|kph|miles (?:per|an) hour|kilomet(?:er|re)s (?:per|an) hour|met(?:er|re)s per second|knots',
  '(?:kilo|mega|giga|tera)?(?:watts?|watt[- ]hours?|hertz|bytes?|bits?|joules?|tons)|[kMGT]W(?:h)?|[kMGT]?Hz|[KMGTP]B|Mbps|Gbps',
  'volts?|amps?|amperes?|ohms?|calories|kcal|megapixels|horsepower|hp|decibels|dB',
].join('|')

/** Excludes list numbers, versions, and `one` used as a noun. */
const NOT_COUNTED = [
  String.raw`(?!(?<=(?:^|\n|[.!?:;] )[ \t*#>-]{0,8})\d{1,3}[.)]\s)`,
  String.raw`(?!(?<=(?-i:\p{Lu})\p{L}{1,30} )\d{1,3}\.\d{1,3}(?! (?:hundred|thousand|[mbt]r?illion)))`,
  String.raw`(?<!(?-i:\b[A-Z]{2,4}) (?=\d{2,4}\b))`,
  String.raw`(?!one (?:of|another|day|by|who|that|thing|can|could|must|should|would|may|might|has|is|was)\b)`,
  String.raw`(?<!(?:\bno|this|that|the|which|every|any|some|each|another|good|only|new|old|better|best|last) (?=one\b))`,
].join('')

/** Patterns of sums, shares, measures and counts. */
export const AMOUNT_PATTERNS: readonly LabelPattern[] = [
  {
    label: 'MONEY',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])${SIGN} ?${PRICE}(?: ?[-–] ?(?:${SIGN})?${PRICE})?(?: (?:${COIN}|${CODE}))?(?![\p{L}\p{N}]|[.,]\d)`,
      'giu',
    ),
  },
  exactWords('MONEY', `${CODE} ?${PRICE}`),
  exactWords('MONEY', `${PRICE} ?${CODE}`),
  wholeWords('MONEY', `${NUMBER_OR_RANGE}(?:${SCALE})?[ -](?:${COIN}|${POUNDS})`),
  wholeWords('MONEY', `${PRICE} ?[€£]`),
  wholeWords('MONEY', `(?:${VAGUE}|a few (?:hundred|thousand|million|billion)) (?:of )?(?:${COIN})`),
  {
    label: 'PERCENT',
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}.,])(?:[-+−]?${DIGITS}%? ?(?:[-–]|to) ?)?[-+−]?${DIGITS} ?%`, 'gu'),
  },
  wholeWords('PERCENT', `${NUMBER_OR_RANGE}[ -](?:percent|per cent|percentage points?|pct|basis points)`),
  wholeWords('PERCENT', 'half a (?:percent|per cent)'),
  wholeWords('QUANTITY', `(?:minus )?${NUMBER_OR_RANGE}[ -]?(?:${AREA}|${LENGTH}|${WEIGHT}|${VOLUME}|${OTHER_UNITS})`),
  exactWords('QUANTITY', `${DIGITS}[ -]?(?:m|g|l|L|W|V|kV|A|K)`),
  wholeWords('ORDINAL', `(?<!\\bat (?=first\\b))${ORDINAL}`),
  wholeWords('CARDINAL', VAGUE),
  wholeWords(
    'CARDINAL',
    `(?:${SPELLED}|two|three)[ -](?:thirds?|quarters|fifths|tenths)|half a dozen|half(?= of | the )|(?:a|one)[ -](?:third|quarter|fifth|tenth)(?= of )|(?:a few|several) (?:dozen|hundred|thousand|million)`,
  ),
  wholeWords('CARDINAL', `${NOT_COUNTED}${NUMBER}(?:[-–]${NUMBER})?`),
]
