/** Classes for rules about what people are; slurs are a class so that talk about them can be told from their use. */
export const IDENTITY_CLASSES = {
  group: `jews jew jewish muslims muslim islam islamic christians christian catholics catholic hindus hindu sikhs buddhists
    atheists mormons blacks black whites white asians asian chinese japanese koreans vietnamese mexicans mexican latinos latino
    latinas hispanics hispanic arabs arab africans african indians indian pakistanis pakistani bangladeshis somalis nigerians
    haitians iranians iraqis afghans syrians turks turkish kurds russians russian ukrainians poles polish romanians italians
    irish germans french americans immigrants immigrant migrants migrant refugees refugee foreigners foreigner aliens illegals
    gays gay lesbians lesbian homosexuals homosexual bisexuals queers trans transgender transgenders transsexuals transwomen
    women woman females female girls men males disabled autistic autistics cripples cripple gypsies gypsy roma travellers
    aboriginals natives minorities boomers elderly zionists palestinians israelis ethnic brown homos brits filipinos
    lgbt lgbtq wheelchair blind deaf dwarves midgets schizophrenics brazilians colombians cubans venezuelans puerto`,
  groupNoun: `jew jews muslim muslims immigrant immigrants migrant migrants refugee refugees foreigner foreigners mexican
    mexicans arab arabs black blacks african africans indian indians asian asians chinese gay gays homo homos queer queers
    lesbian lesbians woman women female females gypsy gypsies pakistani pakistanis turk turks pole poles russian russians
    christian christians catholic catholics hindu hindus illegals cripple cripples transgender transgenders girls`,
  dehumanizing: `animals vermin rats cockroaches roaches pests insects criminals terrorists thieves rapists subhuman subhumans
    inferior disgusting filthy dirty stupid lazy scum trash garbage parasites disease plague cancer sick abomination
    abominations evil liars greedy savages monkeys apes perverts pedophiles pedos paedophiles groomers whores sluts weak
    useless dumb worthless unnatural degenerate degenerates filth leeches invaders barbarians pigs dogs
    primitive uncivilized criminal violent backward backwards mental mentally unclean infestation virus scourge ugly gross crooks
    murderers retarded freaks cheats irrational emotional hysterical cowards idiots morons snakes drunks freeloaders deviants
    sinners demons devils satanic immoral perverted repulsive revolting problem burden invasion mistake hypocrites
    untrustworthy unfit incapable smelly stink uneducated illiterate scammers manipulative`,
  slur: `nigger nigga niggers niggas niglet nigglet nigguh nig nigs nigra faggot fag fags faggy faggotry kike kikes spic spics spick chink chinks gook gooks
    wetback wetbacks raghead ragheads towelhead towelheads sandnigger tranny trannies trannie dyke dykes paki pakis coon coons beaner
    beaners zipperhead injun shemale shemales kaffir kafir wog wogs abo abos jap japs polack polacks dago dagos wop wops
    poofter poof poofs heeb hymie slanteye slanteyes mudslime mudslimes muzzie muzrat goatfucker goatfuckers shitskin shitskins
    dothead darkie darky darkies golliwog jigaboo pickaninny sambo spook tarbaby halfbreed gyppo pikey pikeys cameljockey
    currymuncher feminazi feminazis libtard libtards retard retards mongoloid spastic spaz spaz lesbo lezzie carpetmuncher
    fudgepacker pansy bulldyke ladyboy troon troons redskin squaw chinaman honky whitey cracker crackers
    kanake kanaken neger schwuchtel schwuchteln tunte kameltreiber zigeuner judensau maricon maricones sudaca sudacas
    panchito moraco bougnoule bougnoules negre youpin youpins pede pedes tapette tarlouze bicot`,
  hardSlur: `nigger niggers niglet faggot faggots kike kikes spic spics chink chinks gook gooks wetback wetbacks raghead
    ragheads towelhead towelheads sandnigger tranny trannies beaner beaners zipperhead shemale kaffir wog wogs paki pakis
    polack polacks dago dagos wop wops poofter heeb hymie mudslime mudslimes muzrat goatfucker goatfuckers shitskin shitskins
    jigaboo pickaninny darkie darkies golliwog gyppo pikey cameljockey currymuncher halfbreed nigs bulldyke troon troons
    slanteye slanteyes kanake kanaken schwuchtel schwuchteln judensau maricon maricones sudaca sudacas bougnoule
    bougnoules youpin youpins tarlouze bicot nig`,
}
