"""French and English: words, verbs and rules, in the notation of lexicon.py and synchronous.py.

Differences: adjectives follow the noun, in reversed order (`zone économique européenne`, European economic
area), but a few precede it; articles, adjectives and verbs agree; `ne … pas`; object pronouns and adverbs change sides.
Persons: 1 je, 2 tu, 3 il, elle or a noun, 4 nous.
"""

WORDS = """
Pronoun.1.m            je = I
Pronoun.2.m            tu = you
Pronoun.3.m            il = he
Pronoun.3.f            elle = she
Pronoun.4.m            nous = we
Me.1|3|4               te = you
Me.2|3                 me = me  nous = us
Name.m                 Paul = Paul  Pierre = Pierre
Name.f                 Marie = Marie  Claire = Claire

Article.m              le = the  un = a
Article.f              la = the  une = a
And                    et = and
Conjunction            mais = but  et = and  quand = when
Because                parce que = because
That                   que = that
Who.person             qui = who
Who.animal|text|place|thing    qui = that
Adverb                 souvent = often  toujours = always
Ne.1|2|4               ne = do
Ne.3                   ne = does
Pas                    pas = not
Be.1                   suis = am
Be.2                   es = are
Be.3                   est = is
NeBe.1                 ne suis = am
NeBe.2                 ne es = are
NeBe.3                 ne est = is

Noun.person.m          étudiant = student  professeur = teacher  médecin = doctor  garçon = boy  ami = friend
Noun.person.f          fille = girl  femme = woman  actrice = actress  voisine = neighbour
Noun.animal.m          chat = cat  chien = dog  oiseau = bird
Noun.animal.f          tortue = turtle  souris = mouse
Noun.text.m            livre = book  article = article  accord = agreement
Noun.text.f            lettre = letter  loi = law
Noun.place.m           port = port  centre = centre
Noun.place.f           zone = area  région = region  ville = city  école = school
Noun.thing.m           vélo = bicycle  arbre = tree
Noun.thing.f           voiture = car  maison = house  fleur = flower

Before.animal|place|thing.g Is.animal|place|thing.g    petit/petite = small  grand/grande = big
Before.person|animal.g Is.person|animal.g              jeune = young
Inner.text|place.g     économique = economic  historique = historical  politique = political
Outer.text|place.g Inner.person|thing.g Is.person.g    européen/européenne = European  français/française = French
Outer.text.g Is.text.g                                 important/importante = important
Outer.thing.g Inner.animal.g Is.thing|animal.g         noir/noire = black  blanc/blanche = white
Outer.thing.g Is.thing.g                               rouge = red
Outer.person.g Is.person|place.g                       célèbre = famous
Is.person|animal.g                                     content/contente = happy  fatigué/fatiguée = tired
Is.person.g            étudiant/étudiante = a student  avocat/avocate = a lawyer  journaliste = a journalist
"""

VERBS = """
state  person|animal  aime/aimes/aime/aimons                like = likes          person|animal|place|thing
state  person         aime/aimes/aime/aimons                like = likes          text
state  person|animal  vois/vois/voit/voyons                 see = sees            person|animal|place|thing
state  person|animal  cherche/cherches/cherche/cherchons    look for = looks for  person|animal|thing
state  person         cherche/cherches/cherche/cherchons    look for = looks for  text
state  person         connais/connais/connaît/connaissons   know = knows          person|text|place
deed   person         lis/lis/lit/lisons                    read = reads          text
deed   person         écris/écris/écrit/écrivons            write = writes        text
deed   person         signe/signes/signe/signons            sign = signs          text
deed   person         visite/visites/visite/visitons        visit = visits        place
deed   person         achète/achètes/achète/achetons        buy = buys            thing
deed   person|animal  dors/dors/dort/dormons                sleep = sleeps        alone
deed   person         chante/chantes/chante/chantons        sing = sings          alone
think  person         pense/penses/pense/pensons            think = thinks        that
"""

RULES = """
p = 1 2 3 4
g = m f
h = m f
k = state deed
c = person animal text place thing
a = person animal
d = animal text place thing
t = text place

9  Text                Sentence
1  Text                Title.t.g
1  Title.t.g           Full.t.g
1  Title.t.g           Article.g Full.t.g
1  Title.place.g       Before.place.g Full.place.g
1  Title.t.g           Full.t.g Relative.t.g
8  Sentence            Statement
3  Sentence            Statement Conjunction Sentence
1  Sentence            Statement Because Sentence
1  Statement           Clause.p
1  Statement           Clause.3

6  Clause.p            Subject.person.p.g Act.person.p
1  Clause.3            Subject.animal.3.g Act.animal.3
2  Clause.p            Subject.person.p.g Being.p.person.g
1  Clause.3            Subject.d.3.g Being.3.d.g
1  Clause.p            Agent.person.p.g Verb.finite.think.person.p.that That Clause.3
4  Subject.c.p.g       Agent.c.p.g
1  Subject.c.3.g       Described.c.g
3  Agent.person.p.g    Pronoun.p.g
1  Agent.person.3.g    Name.g
2  Agent.c.3.g         Phrase.c.g

5  Act.a.p             Doing.a.p.c Object.c
1  Act.a.p             Doing.a.p.c Chain.c
1  Act.a.p             Verb.finite.deed.a.p.alone Adverb                ↔  Adverb Verb
1  Act.a.p             Ne.p Verb.base.deed.a.p.alone Pas                ↔  Ne Pas Verb
1  Act.a.p             Me.p Verb.finite.k.a.p.person                    ↔  Verb Me
1  Act.a.p             Ne.p Me.p Verb.base.k.a.p.person Pas             ↔  Ne Pas Verb Me
3  Doing.a.p.c         Verb.finite.k.a.p.c
1  Doing.a.p.c         Verb.finite.deed.a.p.c Adverb                    ↔  Adverb Verb
1  Doing.a.p.c         Ne.p Verb.base.k.a.p.c Pas                       ↔  Ne Pas Verb
2  Being.p.c.g         Be.p Is.c.g
1  Being.p.c.g         NeBe.p Pas Is.c.g

3  Object.c            Phrase.c.g
1  Object.c            Phrase.c.m And Phrase.c.f
1  Object.c            Phrase.c.f And Phrase.c.m
1  Object.person       Name.g
1  Chain.c             Described.c.g
1  Chain.a             Phrase.a.g Who.a Doing.a.3.c Chain.c
1  Described.c.g       Phrase.c.g Relative.c.g
2  Relative.a.g        Who.a Doing.a.3.c Object.c
1  Relative.a.g        Who.a Verb.finite.deed.a.3.alone
2  Relative.c.g        That Agent.a.p.h Doing.a.p.c
1  Relative.c.g        Who.c Being.3.c.g

2  Phrase.c.g          Article.g Core.c.g
1  Phrase.c.g          Article.g Before.c.g Core.c.g
2  Core.c.g            Noun.c.g
2  Core.c.g            Noun.c.g Inner.c.g                               ↔  Inner Noun
1  Core.c.g            Noun.c.g Outer.c.g                               ↔  Outer Noun
1  Core.c.g            Full.c.g
1  Full.c.g            Noun.c.g Inner.c.g Outer.c.g                     ↔  Outer Inner Noun
"""

ELIDED = {"le": "l'", "la": "l'", "je": "j'", "me": "m'", "te": "t'", "ne": "n'", "que": "qu'"}
