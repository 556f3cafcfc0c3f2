const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Last words of organizations' names. */
export const ORGANIZATION_ENDS = words(`
Inc Incorporated Corp Corporation Co Company Companies Ltd Limited LLC LLP PLC plc AG GmbH SE SA S.A. NV N.V. BV AB Oy ASA SpA Pty Group Groups Holdings
Holding Partners Associates Ventures Capital Industries Enterprises Technologies Technology Systems Solutions Software Labs Laboratory Laboratories
Networks Electronics Semiconductor Semiconductors Pharmaceuticals Pharma Therapeutics Biotech Biosciences Energy Petroleum Oil Motors Motor Automotive Airlines Airways
Aerospace Bank Bancorp Banking Financial Insurance Securities Investments Fund Trust Foundation Institute Institution Institutes University College Academy
School Polytechnic Agency Authority Bureau Commission Committee Council Ministry Department Administration Parliament Senate Assembly Congress
Court Tribunal Police Association Society Union Federation League Alliance Organization Organisation Coalition Consortium Party Club FC United
Orchestra Philharmonic Choir Ensemble Times Post Herald Tribune Gazette Journal Magazine News Press Media Broadcasting Television Radio Records Pictures
Studios Entertainment Games Communications Telecom Hospital Clinic Museum Gallery Library Church Army Navy Brigade Division Exchange Chamber Initiative
Consulting Logistics Railways Railway Foods Brewery Brewing Chemicals Steel Mining Robotics Analytics Dynamics Instruments Supermarkets Stores Retail
Service Services Board Office Secretariat Center Centre Taskforce Brothers Works Cooperative Partnership Lab`)

export const FACILITY_ENDS = words(`
Airport Bridge Tower Stadium Arena Street Avenue Boulevard Road Lane Square Station Terminal Castle Palace Cathedral Basilica Temple Mosque Abbey Chapel
Dam Tunnel Highway Freeway Motorway Expressway Plaza Hall House Building Hotel Theatre Theater Opera Observatory Monument Memorial Cemetery Prison Zoo
Mall Market Harbour Harbor Port Pier Garden Gardens Park Fort Fortress Gate Wall Canal Turnpike Interstate Center-Arena Auditorium Speedway Mausoleum Zoo`)

export const LAND_ENDS = words(`
River Lake Ocean Sea Mountains Mountain Desert Valley Island Islands Peninsula Coast Bay Gulf Strait Falls Glacier Reef Forest Rainforest Canyon Basin
Plateau Range Hills Peak Delta Archipelago Beach Cape Volcano Creek Fjord Steppe Plains Rift Trench Highlands Lowlands Swamp Everglades`)

export const EVENT_ENDS = words(`
War Wars Olympics Games Cup Festival Summit Conference Revolution Championship Championships Marathon Uprising Massacre Earthquake Tsunami Pandemic
Prix Open Tournament Rebellion Crusade Crusades Expo Awards Symposium Congress-Event Derby Carnival Siege Genocide Riots Disaster Offensive`)

export const LAW_ENDS = words(
  'Act Treaty Constitution Amendment Convention Protocol Accord Accords Directive Regulation Agreement Pact',
)

export const PRIZE_ENDS = words('Prize Award Medal Trophy Oscar Emmy Grammy')

/** First words of organizations' names, followed by `of`, `for` or `and`: `University of Oxford`. */
export const ORGANIZATION_HEADS = words(`
University Bank Ministry Department Institute College School Bureau Office Board Council Academy Federation Union Organization Organisation Association
Society Chamber Center Centre Centers Centres Faculty League House Church Court Foundation Commission Committee Agency Fund Museum Library Confederation
Conference Congress Alliance Order Secretary-General Daughters Sons Doctors Friends Campaign Coalition Knights Trust Journal`)

export const FACILITY_HEADS = words(
  'Palace Tower Castle Temple Church-of Cathedral Statue Tomb Hall Fort Port Garden Gate',
)
export const LAND_HEADS = words('Gulf Bay Cape Strait Sea Isle Isles Coast Horn Lake Mount Mt Rock Straits Valley')
export const EVENT_HEADS = words(
  'Battle Siege War Festival Massacre Feast Hurricane Typhoon Storm Cyclone Operation Sack Fall',
)
export const LAW_HEADS = words('Treaty Act Declaration Bill Convention Peace Edict Charter Code Article Section Title')
export const PLACE_HEADS = words(
  'Republic Kingdom Commonwealth City State Province County Principality Empire Duchess-of District Town Emirate Sultanate',
)

/** First names that are also places. Before a word that is part of no place they name a person. */
export const PLACES_OF_PEOPLE = words(`
Adelaide Alexandria Austin Brooklyn Chad Charlotte Chelsea Columbus Dakota Dallas Devon Eugene Florence Georgia Houston India Israel Jackson Jordan Kent
Kingston Lincoln Madison Paris Phoenix Salvador Santiago Savannah Sofia Sydney Troy Victoria Virginia Vienna Milan Asia Carolina`)

/** Titles before a person's name, which aren't part of it. */
export const PERSON_TITLES = words(`
Mr Mrs Ms Miss Mx Dr Prof Professor Sir Madam Lord Lady Dame King Queen Prince Princess Duke Duchess Emperor Empress Tsar Czar Pope Cardinal Archbishop Bishop
Rabbi Imam Ayatollah Father Sister Brother Saint Rev Reverend Pastor President Chancellor Premier Prime Minister Senator Sen Rep Representative
Congressman Congresswoman Governor Gov Mayor Ambassador Judge Justice Secretary General Gen Colonel Col Captain Capt Major Maj Lieutenant Lt Sergeant Sgt Admiral
Commander Marshal Detective Inspector Officer Chairman Chairwoman Chair CEO CFO CTO COO Director Coach Manager Founder Engineer Scientist Author
Actor Actress Singer Director-General Secretary-General Spokesman Spokeswoman Spokesperson Analyst Vice Deputy Former Chief Executive Editor Attorney Counsel
Doctor Nurse Comrade Sheikh Sultan Baron Baroness Count Countess Sheriff Agent Private Corporal Uncle Aunt Grandma Grandpa Mother Señor Herr Frau Monsieur Madame`)

/** Words that follow a person or organization as a verb's subject. */
export const SPEECH = words(
  'said says told tells wrote writes argued argues explained explains recalled recalls thinks believes smiled laughed asked asks replied admitted',
)
export const COMPANY_VERBS = words(`
acquired acquires launched launches announced announces released releases reported reports unveiled hired hires employs manufactures makes sells sold
bought buys shares stock filed raised`)

/** Known names that are everyday words at the beginning of a sentence. */
export const PLAIN_WORDS = words(`
Nice Reading Split Target Shell Slack Oracle Windows Chrome Meta Mobile Excel Safari Galaxy Polish Pole Moor Bath Stripe Sears Emirates Visa Zoom Pixel Echo
Swift Rust React Git Bash Perl Turkey Mercury Phoenix Providence Queens Buffalo Derby Congress Pacific Arctic Alphabet Apple Amazon Orthodox Democratic
Intel Python Ruby Constitution Enlightenment Reformation Renaissance Roman Victorian Homer Drake Wagner`)
