/** Everyday nouns that are often capitalized, beside those of the tagger's dictionary. */
export const PLAIN_NOUNS: ReadonlySet<string> = new Set(
  `
access account accuracy action address advice agenda agreement algorithm amendment analysis annex appendix application architecture area argument array article
aspect asset assistant assumption attachment attribute audience audit autumn availability background backlog balance bar base basis batch behavior benefit bill bonus
boolean box branch brief browser budget bug bullet button cache calculation calendar campaign capacity capital card case category cause cell certificate chain challenge chapter
chart chat checklist choice class clause client cloud cluster code column comma command comment commit community company comparison compliance component concept
conclusion condition configuration connection constraint consumer container content context contract contribution cookie copy core corporate cost country course
credit criteria criterion culture currency curve cycle dashboard data database date deadline debt decision default definition delivery demand department deployment
description design desktop detail developer development device diagram dictionary difference dimension directory disclaimer discount discussion distribution division document
domain draft economy edition education effect efficiency element email employee employment encoding endpoint energy engine engineering entity entry environment
equation equity error estimate evaluation event evidence example exception exercise expense experience expert explanation export extension factor failure feature fee
feedback field figure file filter finance flag folder food form format formula framework frequency front function fund future gateway goal government graph grid group
growth guarantee guide guideline handbook header heading health hint history holiday home host hour human hypothesis icon idea identifier image impact
implementation import improvement income index indicator industry inflation information infrastructure ingredient input insight instruction insurance integer integration
interest interface internet interview introduction inventory investment invoice issue item job journey kernel key keyword kitchen knowledge lambda language launch law lawyer
layer leadership learning lesson letter level liability library license life limit limitation line link list literature loan location log logic logo loop machine
maintenance management manual margin market marketing material matrix maximum measure media member memo memory menu message metadata method metric migration minimum mission
mistake mode model module money monitor monolith mortgage network news newsletter node note notebook notice notification number object objective objection obligation offer
office operation opinion opportunity option order organization outcome outline output overview owner package page paragraph parameter parent part partner party password patch
path patient payload payment penalty performance period permission person perspective phase phone phrase pipeline plan planet plate platform plugin point policy pool port
portfolio position post power practice preference premium presentation price principle priority privacy problem procedure process processor product production profile profit
program progress project prompt proof property proposal protocol provider purchase purpose quality quantity query question queue quote rate ratio reader reason recipe
recommendation record recovery reference refund region register relationship release reliability reminder report repository request requirement research resolution
resource response result resume retirement return revenue review reward risk roadmap role room root round route router routine row rule salary sale sample scale
scenario schedule schema school science scope score screen script search season section sector security segment selection sentence sequence series server service session
setting setup shareholder shipping sign signature skill slide society software solution source space specification spring sprint stack staff stage stakeholder standard
standup state statement statistics status step stock storage store story strategy strength string structure student style subject subscription success suggestion
summary summer supervisor supplier supply support surface survey symbol symptom syntax system table tag target task tax teacher team technique technology template tenant term
test text theme theory thesis threat threshold ticket timeline tip title token tool topic total traffic training transaction transcript transfer translation treatment
trend trial type unit universe update upgrade url usage user utility validation value variable vector vendor version video view vision volume volunteer warehouse
warning warranty waste weakness weather website week weight window winter word work worker workflow workload workshop world year zone`
    .trim()
    .split(/\s+/),
)
