"""Pairs of names that are hard to tell apart or to bring together, and what is wanted.

``same``: the second name, told after the first, is the same entity by the rules. ``different``: it
is another, and nobody is asked. ``propose``: another, but a person or a model is asked.
"""

P, G, T, W, L, E = "person", "organization", "thing", "work", "place", "event"

PAIRS = (
    # Spelling that says nothing: case, width, articles, possessives, hyphens, full stops.
    ("same", (P, "Alice Johnson"), (P, "alice JOHNSON")),
    ("same", (P, "Alice Johnson"), (T, "Alice Johnson")),
    ("same", (G, "The Veyle Courier"), (G, "Veyle Courier")),
    ("same", (T, "ＡＣＭＥ"), (T, "Acme")),
    ("same", (P, "Jean-Luc Picard"), (P, "Jean Luc Picard")),
    ("same", (G, "U.S. Navy"), (G, "US Navy")),
    ("same", (T, "Straße"), (T, "STRASSE")),
    ("same", (T, "caf\u0065\u0301 Luna"), (T, "café Luna")),
    # Scripts: one character is a word.
    ("different", (P, "Zhang Wei 张"), (P, "Zhang Wei 王")),
    ("different", (P, "张伟"), (P, "张玮")),
    ("different", (W, "iPhone 15 红色"), (W, "iPhone 15 蓝色")),
    ("different", (P, "田中太郎"), (P, "田中次郎")),
    ("different", (P, "김민수"), (P, "김민준")),
    ("same", (P, "王 伟"), (P, "王 伟")),
    # Numbers, versions, symbols, numerals.
    ("different", (T, "C++"), (T, "C#")),
    ("different", (T, "C++"), (T, "C")),
    ("different", (T, "F#"), (T, "F*")),
    ("different", (W, "Version 1.10"), (W, "Version 11.0")),
    ("different", (W, "Version 1.1"), (W, "Version 1.10")),
    ("different", (W, "Python 3.11"), (W, "Python 3.12")),
    ("different", (T, "iPhone 14"), (T, "iPhone 15")),
    ("different", (P, "Henry IV"), (P, "Henry V")),
    ("different", (W, "Rocky II"), (W, "Rocky III")),
    ("different", (T, "Apollo 11"), (T, "Apollo 13")),
    ("different", (E, "World War I"), (E, "World War II")),
    ("different", (T, "Room 101"), (T, "Room 110")),
    ("different", (T, "Boeing 737-800"), (T, "Boeing 737-900")),
    # Homonyms of another type.
    ("different", (L, "Mercury"), (P, "Mercury")),
    ("different", (G, "Amazon"), (L, "Amazon")),
    ("different", (P, "Ferry"), (G, "Ferry")),
    ("different", (P, "Paris"), (L, "Paris")),
    ("different", (W, "Carrie"), (P, "Carrie")),
    ("same", (T, "Mercury"), (L, "Mercury")),
    # Opposites.
    ("different", (L, "North Korea"), (L, "South Korea")),
    ("different", (G, "Upper Mill"), (G, "Lower Mill")),
    ("different", (P, "John Smith Jr."), (P, "John Smith Sr.")),
    ("different", (P, "Mr. Smith"), (P, "Mrs. Smith")),
    ("propose", (P, "John Smith"), (P, "John Smith Jr.")),
    # A lone name of a person.
    ("same", (P, "Alice Johnson"), (P, "Alice")),
    ("same", (P, "Alice Johnson"), (P, "Johnson")),
    ("same", (P, "Alice"), (P, "Alice Johnson")),
    ("propose", (P, "Johnson"), (P, "Alice Johnson")),
    ("propose", (P, "Meiling"), (P, "Chen Meiling")),
    ("different", (P, "Ann"), (P, "Mary Ann Lee")),
    ("different", (P, "Alice"), (P, "Alice's friends")),
    # Initials.
    ("propose", (P, "John Smith"), (P, "J. Smith")),
    ("propose", (P, "J. Smith"), (P, "John Smith")),
    ("propose", (P, "John Ronald Tolkien"), (P, "J. R. Tolkien")),
    ("propose", (P, "George Walker Bush"), (P, "George W. Bush")),
    ("different", (P, "John Smith"), (P, "K. Smith")),
    ("propose", (P, "Alice Moreau"), (P, "A. Moreau")),
    ("propose", (P, "A. Moreau"), (P, "Alice Moreau")),
    ("different", (P, "Bob Moreau"), (P, "A. Moreau")),
    ("different", (P, "B. Moreau"), (P, "A. Moreau")),
    ("different", (P, "A. A. Milne"), (P, "B. A. Milne")),
    # Chats have no capitals.
    ("same", (P, "Alice Moreau"), (P, "alice moreau")),
    ("same", (P, "alice moreau"), (P, "alice")),
    ("same", (P, "alice"), (P, "alice moreau")),
    ("propose", (P, "alice moreau"), (P, "alicia moreau")),
    ("propose", (P, "Robert Smith"), (P, "bob smith")),
    ("different", (P, "Alice"), (P, "alice and her mother")),
    ("different", (P, "Alice"), (P, "my friend alice")),
    # Marks of punctuation say nothing.
    ("propose", (W, "Dune: Part Two"), (W, "Dune - Part Two")),
    ("same", (W, "Who's Afraid of Virginia Woolf?"), (W, "Who's Afraid of Virginia Woolf")),
    # Titles.
    ("same", (P, "Alice Johnson"), (P, "Dr. Alice Johnson")),
    ("same", (P, "Professor Alice Johnson"), (P, "Alice Johnson")),
    ("same", (P, "Sir Elton John"), (P, "Elton John")),
    ("propose", (P, "Mr. Alex Lee"), (P, "Dr. Alex Lee")),
    # Legal forms.
    ("same", (G, "Globex"), (G, "Globex Inc.")),
    ("same", (G, "Globex GmbH"), (G, "Globex")),
    ("same", (G, "Initech Ltd"), (T, "Initech")),
    ("propose", (G, "Globex Inc."), (G, "Globex Ltd.")),
    ("same", (G, "Globex"), (G, "Globex GmbH & Co. KG")),
    ("same", (G, "Globex"), (G, "Globex Sp. z o.o.")),
    ("same", (G, "Globex"), (G, "Globex Pvt. Ltd.")),
    # Short names of organisations and works.
    ("same", (G, "Veyle Courier"), (T, "Courier")),
    ("same", (G, "Brightwater Media"), (G, "Brightwater")),
    ("same", (W, "Harbour Lights"), (T, "Harbour")),
    ("different", (G, "Brightwater Media"), (G, "Media")),
    ("different", (G, "Brightwater Media"), (P, "Brightwater")),
    ("different", (G, "Brightwater Media"), (L, "Brightwater")),
    ("propose", (G, "Courier"), (G, "Veyle Courier")),
    # Slips of the pen.
    ("propose", (P, "Alice Johnson"), (P, "Alice Jonhson")),
    ("propose", (G, "Brightwater"), (G, "Brightwatr")),
    ("propose", (G, "Microsoft"), (G, "Mircosoft")),
    ("propose", (L, "Philadelphia"), (L, "Philadelfia")),
    ("propose", (G, "Deep Mind"), (G, "DeepMind")),
    ("different", (P, "Anna Berg"), (P, "Erik Berg")),
    ("different", (L, "Austria"), (L, "Australia")),
    ("different", (P, "Anna"), (P, "Anne")),
    # Accents, umlauts, ligatures.
    ("propose", (P, "José García"), (P, "Jose Garcia")),
    ("propose", (P, "Jürgen Müller"), (P, "Juergen Mueller")),
    ("propose", (P, "Jürgen Müller"), (P, "Jurgen Muller")),
    ("propose", (P, "Søren Kierkegaard"), (P, "Soren Kierkegaard")),
    ("propose", (L, "Łódź"), (L, "Lodz")),
    # Reversed names.
    ("propose", (P, "Murakami Haruki"), (P, "Haruki Murakami")),
    ("propose", (P, "Smith, John"), (P, "John Smith")),
    # Nicknames.
    ("propose", (P, "Robert Smith"), (P, "Bob Smith")),
    ("propose", (P, "Elizabeth Bennet"), (P, "Lizzy Bennet")),
    ("propose", (P, "Bill Gates"), (P, "William Gates")),
    ("different", (P, "Robert Smith"), (P, "Edward Smith")),
    # Transliterations.
    ("propose", (P, "Александр Пушкин"), (P, "Alexander Pushkin")),
    ("propose", (P, "Владимир Маяковский"), (P, "Vladimir Mayakovsky")),
    ("propose", (L, "Харьков"), (L, "Kharkov")),
    ("propose", (P, "Νίκος Καζαντζάκης"), (P, "Nikos Kazantzakis")),
    ("propose", (P, "Mohammed Salah"), (P, "Mohamed Salah")),
    ("propose", (P, "محمد صلاح"), (P, "Mohamed Salah")),
    ("propose", (P, "יצחק רבין"), (P, "Yitzhak Rabin")),
    ("different", (P, "محمد صلاح"), (P, "Ahmed Saleh")),
    # Abbreviations.
    ("propose", (G, "International Business Machines"), (G, "IBM")),
    ("propose", (G, "WHO"), (G, "World Health Organization")),
    ("propose", (G, "Bank of the West Indies"), (T, "BWI")),
    ("different", (G, "International Business Machines"), (P, "Ibm")),
    ("different", (G, "Acme Labs"), (G, "AL")),
    ("propose", (W, "Grand Theft Auto 5"), (W, "GTA 5")),
    ("propose", (W, "Modern Warfare 2"), (W, "MW2")),
    ("propose", (T, "PlayStation 5"), (T, "PS5")),
    ("different", (T, "PlayStation 4"), (T, "PS5")),
    ("propose", (G, "Volkswagen"), (G, "VW")),
    ("propose", (T, "Volkswagen Golf"), (T, "VW Golf")),
    # One place in two languages.
    ("propose", (L, "München"), (L, "Munich")),
    ("propose", (L, "Wien"), (L, "Vienna")),
    ("propose", (L, "The Hague"), (L, "Den Haag")),
    ("different", (L, "Wien"), (L, "Munich")),
    # Siblings, which share all words but a number or what comes after it.
    ("different", (T, "iPhone 15"), (T, "iPhone 15 Pro")),
    ("different", (T, "iPhone 15 Pro"), (T, "iPhone 15")),
    ("different", (T, "iPhone 15 Plus"), (T, "iPhone 15 Pro")),
    ("different", (T, "Fujifilm X100"), (T, "Fujifilm X100V")),
    ("different", (T, "Kettle KX-200 black"), (T, "Kettle KX-210 black")),
    ("propose", (T, "Sorelli Kettle KX-200"), (T, "Sorelli KX200 electric kettle 1.7 l")),
    ("propose", (T, "Sorelli Editor 5.0"), (T, "Sorelli Editor 5")),
    # A nickname alone, of the one who may bear it.
    ("propose", (P, "Robert Smith"), (P, "Bob")),
    # Words in another place.
    ("propose", (G, "University of Oslo"), (G, "Oslo University")),
    ("propose", (G, "Johnson & Johnson"), (G, "Johnson and Johnson")),
)

UNFOUND = (
    # No table reads this script, so that no rule sees the likeness.
    ("propose", (P, "毛泽东"), (P, "Mao Zedong")),
    # What is known of the world, and not written in the names.
    ("propose", (L, "Burma"), (L, "Myanmar")),
)
