/** Nationalities, faiths, parties and the like. */
export const GROUPS = `
Afghan, African, African American, African-American, Albanian, Algerian, American, Andalusian, Anglican, Arab, Arabian, Argentine, Argentinian,
Armenian, Asian, Asian American, Australian, Austrian, Azerbaijani, Aztec, Babylonian, Baltic, Bangladeshi, Baptist, Basque, Bavarian,
Belarusian, Belgian, Bengali, Bolivian, Bolshevik, Bosnian, Brazilian, Briton, British, Buddhist, Bulgarian, Burmese, Byzantine, Californian,
Calvinist, Cambodian, Canadian, Caribbean American, Catalan, Catholic, Celtic, Chechen, Cherokee, Chilean, Chinese, Christian, Colombian,
Communist, Confucian, Coptic, Cossack, Croatian, Cuban, Cypriot, Czech, Dane, Danish, Democrat, Democratic, Dominican, Dutch, Ecuadorian,
Egyptian, English, Englishman, Eritrean, Estonian, Ethiopian, European, Fascist, Filipino, Finn, Finnish, Flemish, Frenchman, French,
Georgian, German, Germanic, Ghanaian, Greek, Guatemalan, Haitian, Hawaiian, Hebrew, Hindu, Hispanic, Honduran, Hungarian, Hutu, Icelandic,
Inca, Indian, Indonesian, Inuit, Iranian, Iraqi, Irish, Irishman, Islamic, Islamist, Israeli, Italian, Jamaican, Japanese, Jesuit, Jew, Jewish,
Jordanian, Kazakh, Kenyan, Khmer, Korean, Kurd, Kurdish, Kuwaiti, Laotian, Latin American, Latina, Latino, Latvian, Lebanese, Libyan,
Lithuanian, Londoner, Lutheran, Malaysian, Maltese, Maori, Māori, Marxist, Maya, Mayan, Mediterranean diet, Methodist, Mexican, Moldovan,
Mongol, Mongolian, Moor, Mormon, Moroccan, Muslim, Native American, Nazi, Nepalese, Nepali, New Yorker, Nigerian, Norman, North Korean,
Norwegian, Orthodox, Ottoman, Pakistani, Palestinian, Parisian, Persian, Peruvian, Pole, Polish, Portuguese, Presbyterian, Protestant,
Prussian, Puritan, Quaker, Republican, Roman, Romanian, Russian, Rwandan, Samoan, Saudi, Saxon, Scandinavian, Scot, Scottish, Senegalese,
Serb, Serbian, Shia, Shiite, Sikh, Singaporean, Sioux, Slavic, Slovak, Slovenian, Somali, South African, South Korean, South American, Soviet,
Spaniard, Spanish, Spartan, Sri Lankan, Stalinist, Sudanese, Sunni, Swede, Swedish, Swiss, Syrian, Taiwanese, Tamil, Texan, Thai, Tibetan,
Tory, Tunisian, Turk, Turkish, Tutsi, Ugandan, Ukrainian, Uruguayan, Uyghur, Uzbek, Venetian, Venezuelan, Victorian, Vietnamese, Viking,
Visigoth, Welsh, Yemeni, Zambian, Zimbabwean, Zionist, Zulu, Tories, Evangelical, Hasidic, Viennese, Icelander, Dutchman, Nordic, Labourite`

/** Tongues whose names are no people's; others are told by their place: `in French`, `speaks German`. */
export const LANGUAGES = `
Afrikaans, Amharic, Arabic, Cantonese, Esperanto, Farsi, Gaelic, Gujarati, Hindi, Latin, Mandarin, Mandarin Chinese, Marathi, Old English,
Pashto, Punjabi, Quechua, Sanskrit, Swahili, Tagalog, Telugu, Urdu, Yiddish, Yoruba, Xhosa, Icelandic language, Ancient Greek, Malayalam`
