/** Countries with their other names, states and provinces. */
export const COUNTRIES = `
Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia, Aruba, Australia, Austria, Azerbaijan, Bahamas,
Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bermuda, Bhutan, Bolivia, Bosnia, Bosnia and Herzegovina, Botswana, Brazil,
Brunei, Bulgaria, Burkina Faso, Burma, Burundi, Cambodia, Cameroon, Canada, Cape Verde, Central African Republic, Chad, Chile, China,
Colombia, Comoros, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czechia, Czech Republic, Czechoslovakia, Côte d'Ivoire,
Democratic Republic of the Congo, Denmark, Djibouti, Dominica, Dominican Republic, East Germany, East Timor, Ecuador, Egypt, El Salvador,
England, Equatorial Guinea, Eritrea, Estonia, Eswatini, Ethiopia, Faroe Islands, Fiji, Finland, France, Gabon, Gambia, Germany, Ghana,
Great Britain, Greece, Greenland, Grenada, Guam, Guatemala, Guinea, Guinea-Bissau, Guyana, Haiti, Honduras, Hungary, Iceland, India,
Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan,
Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Macao, Macau, Macedonia, Madagascar, Malawi, Malaysia,
Maldives, Mali, Malta, Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Monaco, Mongolia, Montenegro, Morocco,
Mozambique, Myanmar, Namibia, Nauru, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, North Macedonia,
Northern Ireland, Norway, Oman, Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, People's Republic of China, Peru,
Philippines, Poland, Portugal, Puerto Rico, Qatar, Republic of Ireland, Romania, Russia, Russian Federation, Rwanda, Saint Lucia, Samoa,
San Marino, Saudi Arabia, Scotland, Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon Islands, Somalia,
South Africa, South Korea, South Sudan, Soviet Union, Spain, Sri Lanka, St. Lucia, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan,
Tajikistan, Tanzania, Thailand, Togo, Tonga, Trinidad and Tobago, Tunisia, Turkey, Turkmenistan, Tuvalu, Türkiye, UAE, U.A.E., U.K., U.S.,
U.S.A., UK, USA, USSR, Uganda, Ukraine, United Arab Emirates, United Kingdom, United States, United States of America, Uruguay, US, Uzbekistan,
Vanuatu, Vatican City, Venezuela, Vietnam, Wales, West Germany, Yemen, Yugoslavia, Zaire, Zambia, Zimbabwe`

export const STATES = `
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa,
Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada,
New Hampshire, New Jersey, New Mexico, New York State, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island,
South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, Washington State, West Virginia, Wisconsin, Wyoming,
District of Columbia, Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland, Nova Scotia, Ontario, Quebec, Saskatchewan, Yukon,
New South Wales, Queensland, South Australia, Tasmania, Western Australia, Bavaria, Saxony, Hesse, Lower Saxony, Brandenburg, Thuringia,
North Rhine-Westphalia, Baden-Württemberg, Schleswig-Holstein, Rhineland-Palatinate, Tyrol, Styria, Carinthia, Lombardy, Tuscany, Sicily,
Sardinia, Piedmont, Umbria, Veneto, Catalonia, Andalusia, Galicia, Aragon, Brittany, Normandy, Provence, Alsace, Burgundy, Occitanie,
Yorkshire, Cornwall, Devon, Kent, Essex, Surrey, Sussex, Lancashire, Norfolk, Suffolk, Cumbria, Hampshire, Dorset, Somerset, Wiltshire,
Guangdong, Sichuan, Hubei, Hunan, Hebei, Henan, Shandong, Yunnan, Xinjiang, Tibet, Zhejiang, Jiangsu, Fujian, Kerala, Tamil Nadu, Gujarat,
Maharashtra, Karnataka, Punjab, Rajasthan, Uttar Pradesh, West Bengal, Bihar, Assam, Andhra Pradesh, Telangana, Kashmir, Sindh, Hokkaido,
Okinawa, Chechnya, Dagestan, Crimea, Donetsk, Luhansk, Jalisco, Oaxaca, Chiapas, Yucatán, Sonora, Chihuahua, Bali, Sumatra, Zanzibar,
Gaza, West Bank, Kurdistan, Transylvania, Flanders, Wallonia, Bohemia, Moravia, Prussia, Ottoman Empire, Roman Empire, Byzantine Empire,
British Empire, Persia, Mesopotamia, Babylon, Sparta, Carthage, Troy, Pompeii`

/** Continents, seas, rivers, mountains and other places without a government. */
export const LANDS = `
Africa, Alps, Amazon Basin, Amazon Rainforest, Amazon River, Andes, Antarctica, Apennines, Appalachia, Appalachians, Arabian Peninsula, Arctic,
Asia, Atlantic, Atlantic Ocean, Australasia, Balkans, Baltic, Baltic Sea, Bay of Bengal, Bering Strait, Black Forest, Black Sea, Borneo,
Canary Islands, Caribbean, Caribbean Sea, Carpathians, Caspian Sea, Caucasus, Central America, Central Asia, Crete, Danube, Dead Sea,
Dolomites, Earth, East Africa, East Asia, East Coast, Eastern Europe, English Channel, Ganges, Great Barrier Reef, Great Lakes, Great Plains,
Galápagos Islands, Galapagos Islands, Gobi Desert, Grand Canyon, Gulf Coast, Gulf of Mexico, Gulf Stream, Himalayas, Horn of Africa,
Hudson River, Iberia, Indian Ocean, Indus, Kilimanjaro, Latin America, Loire, Mediterranean, Mediterranean Sea, Mekong, Mid-Atlantic,
Middle East, Midwest, Mississippi River, Mont Blanc, Mount Everest, Mount Fuji, Mount Kilimanjaro, Mars, Jupiter, Saturn, Venus, Neptune,
Uranus, Milky Way, New England, Niagara Falls, Nile, North Africa, North America, North Atlantic, North Pole, North Sea, Northern Europe,
Oceania, Pacific, Pacific Northwest, Pacific Ocean, Persian Gulf, Polynesia, Pyrenees, Red Sea, Rhine, Rhône, Rockies, Rocky Mountains,
Sahara, Sahel, Scandinavia, Seine, Siberia, Sierra Nevada, Sinai, South America, South Asia, South China Sea, South Pacific, South Pole,
Southeast Asia, Southern Europe, Sub-Saharan Africa, Thames, Tigris, Euphrates, Urals, Vesuvius, Mount Etna, Volga, West Africa, West Coast,
Adriatic, Adriatic Sea, Aegean, Aegean Sea, Irish Sea, Tasman Sea,
Arabian Sea, Sea of Japan, Gulf of Finland, Hudson Bay, Strait of Gibraltar, Strait of Hormuz, Gobi, Kalahari, Mojave, Atacama, Namib, Negev, Patagonia,
Serengeti, Lake District, Cotswolds, Elbe, Oder, Tiber, Douro, Dnieper, Zambezi, Orinoco, Potomac, Rio Grande, Colorado River, Congo River, Niger River,
Jordan River, K2, Matterhorn, Denali, Aconcagua, Elbrus, Eiger, Zugspitze, Mount Ararat, Mount Olympus, Lake Victoria, Lake Geneva, Lake Baikal, Pluto,
Mercury, Moon, Maghreb, Levant, Anatolia, Balkan Peninsula, Eurasia, Global South, Asia-Pacific, Bay Area, Western Europe, Yangtze, Yellow River, Yosemite, Yellowstone, Europe, Great Rift Valley, Central Europe, Far East, Amazon Delta`

/** Buildings, bridges, roads. */
export const FACILITIES = `
Acropolis, Alcatraz, Alhambra, Angkor Wat, Arc de Triomphe, Autobahn, Berlin Wall, Big Ben, Brandenburg Gate, Brooklyn Bridge,
Buckingham Palace, Burj Khalifa, Camp Nou, Capitol Hill, Central Park, Champs-Élysées, Channel Tunnel, Chrysler Building, Colosseum,
Eiffel Tower, Ellis Island, Empire State Building, Golden Gate Bridge, Grand Central Terminal, Great Wall of China, Great Wall, Ground Zero,
Hagia Sophia, Heathrow, Hoover Dam, Hyde Park, JFK, JFK Airport, LaGuardia, Kremlin, Leaning Tower of Pisa, Lincoln Memorial, London Bridge, Machu Picchu,
Madison Square Garden, Mount Rushmore, Notre-Dame, Notre Dame Cathedral, Panama Canal, Pantheon, Parthenon, Petra, Red Square,
Sagrada Família, Sagrada Familia, Sistine Chapel, Space Needle, Statue of Liberty, Stonehenge, Suez Canal, Sydney Opera House, Taj Mahal,
Three Gorges Dam, Times Square, Tower Bridge, Tower of London, Trafalgar Square, Trump Tower, Wembley Stadium, Westminster Abbey,
World Trade Center, Yankee Stadium, Forbidden City, Tiananmen Square, St. Peter's Basilica, St. Peter's Square, Palace of Versailles`
