/** Products. */
export const PRODUCTS = `
AirPods, Alexa, Android, Apple Watch, Bard, Bitcoin, Boeing, Airbus, BlackBerry, ChatGPT, Chrome, Chromebook, Claude, Concorde, Copilot, Corolla,
Coca-Cola Zero, Echo Dot, Ethereum, Excel, Fire TV, Firefox, Ford Mustang, Galaxy, Galaxy Note, Galaxy S, Game Boy, Gemini, Gmail, Google Cloud,
Google Maps, GPT, GPT-3, GPT-3.5, GPT-4, GPT-4o, Hubble, Hubble Space Telescope, iMac, iOS, iPad, iPad Air, iPad Pro, iPhone, iPod, Kindle,
James Webb Space Telescope, Java, JavaScript, Kubernetes, Linux, Llama, macOS, MacBook, MacBook Air, MacBook Pro, Microsoft Office, Microsoft Teams,
Microsoft Word, Minecraft, Model S, Model T, Model X, Model Y, MySQL, Nintendo Switch, Office 365, Photoshop, Pixel, PlayStation, PostgreSQL,
PowerPoint, Prius, Angular, Bash, COBOL, Django, Docker, Elasticsearch, Figma, Fortran, Git, Haskell, Jira, Kafka, Kotlin, MATLAB,
MongoDB, Node.js, NumPy, Perl, PHP, Postgres, Python, PyTorch, React, Redis, Ruby, Ruby on Rails, Rust, Scala, Swift, TensorFlow, Terraform, TypeScript, Vue, Raspberry Pi, Roomba, Rubik's Cube, Safari, Siri, Slack, Surface Pro, Tesla Model, Tylenol, Ubuntu, Viagra, Volkswagen Beetle,
Walkman, Wii, Windows, Xbox, Xbox One, Xbox Series`

export const EVENTS = `
American Civil War, American Revolution, Battle of Hastings, Battle of Waterloo, Black Death, Boston Marathon, Boston Tea Party, Brexit, Burning Man,
Chernobyl disaster, Civil War, Cold War, COP26, COP27, COP28, Cuban Missile Crisis, Cultural Revolution, D-Day, Enlightenment, Eurovision,
Eurovision Song Contest, First World War, French Revolution, Gold Rush, Great Depression, Great Fire of London, Great Recession, Gulf War, Holocaust,
Industrial Revolution, Iraq War, Korean War, Mardi Gras, Middle Ages, Meiji Restoration, Napoleonic Wars, Normandy landings, October Revolution,
Oktoberfest, Olympics, Olympic Games, Paralympics, Pearl Harbor, Prague Spring, Reformation, Renaissance, Russian Revolution, Second World War,
Spanish Civil War, Summer Olympics, Super Bowl, Thirty Years' War, Tour de France, US Open, Australian Open, French Open, Vietnam War, Watergate,
Wimbledon, Winter Olympics, Woodstock, World Cup, World Series, World War I, World War II, World War One, World War Two, WWI, WWII, Y2K`

/** Acts, treaties and rules with a name of their own. */
export const LAWS = `
Affordable Care Act, Bill of Rights, Civil Rights Act, Clean Air Act, Constitution, Declaration of Independence, Dodd-Frank Act, Dodd-Frank, First Amendment,
Second Amendment, Fourth Amendment, Fifth Amendment, Fourteenth Amendment, Freedom of Information Act, GDPR, General Data Protection Regulation,
Geneva Convention, Geneva Conventions, Good Friday Agreement, HIPAA, Kyoto Protocol, Maastricht Treaty, Magna Carta, New Deal, Obamacare, Paris Agreement,
Patriot Act, Roe v. Wade, Sarbanes-Oxley Act, Schengen Agreement, Treaty of Versailles, Voting Rights Act, Digital Services Act, AI Act`

/** People known by one name. */
export const PEOPLE = `
Adele, Archimedes, Aristotle, Bach, Beethoven, Beyoncé, Bonaparte, Buddha, Caesar, Caravaggio, Cézanne, Charlemagne, Chopin, Churchill, Cicero,
Cleopatra, Confucius, Copernicus, Dante, Darwin, Descartes, Dostoevsky, Einstein, Euclid, Euripides, Freud, Galileo, Gandhi,
Genghis Khan, Goethe, Gorbachev, Hegel, Hemingway, Hitler, Homer, Jesus, Jesus Christ, Kafka, Kant, Kepler, Lenin, Leonardo da Vinci, Machiavelli,
Mao Zedong, Matisse, Michelangelo, Monet, Mozart, Muhammad, Mussolini, Napoleon, Nietzsche, Obama, Picasso, Plato, Pushkin, Putin, Pythagoras, Raphael,
Rembrandt, Rihanna, Rousseau, Shakespeare, Socrates, Sophocles, Spinoza, Stalin, Tchaikovsky, Tolkien, Tolstoy, Trump, Tutankhamun, Van Gogh, Vermeer,
Virgil, Vivaldi, Voltaire, Wagner, Wittgenstein, Zelensky, Zelenskyy, Zuckerberg, Madonna, Drake, Shakira, Ronaldo, Messi, Pelé, Pele, Neymar, Xi Jinping,
Kim Jong Un, Narendra Modi, Modi, Satya Nadella, Sundar Pichai, Elon Musk, Sam Altman, Jensen Huang, Tim Cook, Ursula von der Leyen`
