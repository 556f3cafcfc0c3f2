/** Continents, seas, rivers, mountains and what else isn't governed. */
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
