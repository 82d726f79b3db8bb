"""Chinese and English: words, verbs and rules, in the notation of lexicon.py and synchronous.py.

Differences: a relative clause comes before its noun (`小明 喜欢 的 那 本 书`, that book that XiaoMing likes);
time and place come before the verb, in English after the object and in reversed order; each noun has a measure word
(`一 本 书`, a book), and verbs select nouns by it.
Persons: 1 我, 2 你, 3 他, 她 or a noun, 4 我们 or two names.
"""

WORDS = """
Pronoun.1         我 = I
Pronoun.2         你 = you
Pronoun.3         他 = he  她 = she
Pronoun.4         我们 = we
Him               他 = him  她 = her
Me                我 = me  你 = you  我们 = us
Name.m            小明 = XiaoMing  小刚 = XiaoGang
Name.f            小红 = XiaoHong  小华 = XiaoHua
Known             老师 = the teacher  医生 = the doctor
This.个|只|本|封|辆|件    这 ~ = this
That.个|只|本|封|辆|件    那 ~ = that
One.个|只|本|封|辆|件     一 ~ = a
One.drink         一 = a  那 = that  这 = this
Cup               杯 = cup of
And               和 = and
Conjunction       但是 = but  因为 = because  所以 = so
Which             的 = that
Who.个            的 = who
Who.只            的 = that
Not.1|2|4         不 = do not
Not.3             不 = does not
No                不 = not
Be.1              是 = am
Be.2              是 = are
Be.3              是 = is
Very.1            很 = am
Very.2|4          很 = are
Very.3            很 = is
Isnt.1            不 = am not
Isnt.2|4          不 = are not
Isnt.3            不 = is not
At                在 = at
In                在 = in
AtPlace           学校 = school  家 = home
InPlace           图书馆 = the library  公园 = the park  北京 = Beijing
Time.base|finite  今天 = today  早上 = in the morning  晚上 = in the evening
Time.finite       每天 = every day

Role              学生 = a student  老师 = a teacher  医生 = a doctor
Noun.个           学生 = student  女孩 = girl  朋友 = friend  孩子 = child
Noun.只           猫 = cat  狗 = dog  鸟 = bird
Noun.本           书 = book  小说 = novel  词典 = dictionary
Noun.封           信 = letter
Noun.辆           车 = car  自行车 = bicycle
Noun.件           毛衣 = sweater  大衣 = coat
Mass.drink        茶 = tea  咖啡 = coffee  水 = water
Mass.sound        音乐 = music
Mass.field        数学 = mathematics  中文 = Chinese  英文 = English

Adjective.个      聪明 的 = smart  年轻 的 = young
Adjective.只      聪明 的 = smart  可爱 的 = cute
Adjective.本|封   有趣 的 = interesting  新 的 = new  重要 的 = important
Adjective.辆|件   漂亮 的 = beautiful  新 的 = new
Color.只|辆|件    黑色 的 = black  白色 的 = white  红色 的 = red
Is.个             高兴 = happy  累 = tired  忙 = busy  聪明 = smart  年轻 = young
Is.只             可爱 = cute  聪明 = smart
Is.本|封          有趣 = interesting  新 = new  重要 = important
Is.辆|件          漂亮 = beautiful  新 = new
"""

VERBS = """
state  个|只      喜欢                like = likes              个|只|drink|sound
state  个         喜欢                like = likes              本|辆|件|field
state  个         认识                know = knows              个
state  个         记得                remember = remembers      个|本|封|辆
state  个         买                  buy = buys                本|辆|件
deed   个|只      找                  look for = looks for      个|只
deed   个         找                  look for = looks for      本|封|件
deed   个         等                  wait for = waits for      个
deed   个         看                  read = reads              本|封
deed   个         写                  write = writes            本|封
deed   个         喝                  drink = drinks            drink
deed   个         听                  listen to = listens to    sound
deed   个         学习                study = studies           field
deed   个         工作                work = works              alone
deed   个|只      睡觉                sleep = sleeps            alone
deed   个         唱歌                sing = sings              alone
think  个         觉得                think that = thinks that  that
think  个         说                  say that = says that      that
think  个         知道                know that = knows that    that
"""

RULES = """
p = 1 2 3 4
g = m f
v = finite base
k = state deed
n = 个 只 本 封 辆 件
d = 只 本 封 辆 件
a = 个 只
c = 个 只 本 封 辆 件 drink sound field

9  Text                Sentence
1  Text                Described.n
2  Sentence            Statement
1  Sentence            Statement Conjunction Sentence
1  Statement           Clause.p
1  Statement           Clause.3

6  Clause.p            Subject.个.p Act.个.p
1  Clause.3            Subject.只.3 Act.只.3
2  Clause.p            Subject.个.p Being.p.个
1  Clause.3            Subject.d.3 Being.3.d
1  Clause.p            Agent.个.p Verb.finite.think.个.p.that Clause.3
3  Subject.n.p         Agent.n.p
4  Subject.n.3         Described.n
1  Subject.个.4        Name.m And Name.f
1  Subject.个.4        Name.f And Name.m
3  Agent.个.p          Pronoun.p
2  Agent.个.3          Name.g
1  Agent.个.3          Known
2  Agent.n.3           Definite.n

4  Act.a.p             Doing.finite.a.p
2  Act.a.p             Not.p Doing.base.a.p
1  Act.a.p             Not.p Verb.base.deed.a.p.alone
2  Act.a.p             Time.finite Task.finite.a.p                          ↔  Task Time
1  Act.a.p             Time.base Not.p Task.base.a.p                        ↔  Not Task Time
1  Act.a.3             Verb.finite.k.a.3.个 Me
1  Act.a.3             Not.3 Verb.base.k.a.3.个 Me
2  Doing.v.a.p         Verb.v.state.a.p.c Object.c
1  Doing.v.a.p         Verb.v.k.a.p.n Described.n
2  Doing.v.a.p         Verb.v.deed.a.p.c Object.c
1  Doing.v.a.p         Place Deed.v.a.p                                     ↔  Deed Place
2  Task.v.a.p          Deed.v.a.p
1  Task.v.a.p          Place Deed.v.a.p                                     ↔  Deed Place
1  Deed.v.a.p          Verb.v.deed.a.p.alone
3  Deed.v.a.p          Verb.v.deed.a.p.c Object.c
1  Place               At AtPlace
1  Place               In InPlace
2  Being.p.n           Very.p Is.n
1  Being.p.n           Isnt.p Is.n
1  Being.p.个          Be.p Role
1  Being.p.个          No Be.p Role                                         ↔  Be No Role

3  Object.n            Definite.n
3  Object.n            One.n Core.n
1  Object.n            This.n Core.n And That.n Core.n
1  Object.个           Name.g
1  Object.个           Known
1  Object.个           Him
2  Object.c            Mass.c
1  Object.drink        One.drink Cup Mass.drink
1  Definite.n          This.n Core.n
1  Definite.n          That.n Core.n
2  Core.n              Noun.n
1  Core.n              Adjective.n Noun.n
1  Core.n              Color.n Noun.n
1  Core.n              Adjective.n Color.n Noun.n
2  Described.n         Agent.a.p Verb.finite.k.a.p.n Which Definite.n       ↔  Definite Which Agent Verb
1  Described.n         Agent.a.p Not.p Verb.base.k.a.p.n Which Definite.n   ↔  Definite Which Agent Not Verb
1  Described.a         Deed.finite.a.3 Who.a Definite.a                     ↔  Definite Who Deed
1  Described.a         Verb.finite.state.a.3.c Object.c Who.a Definite.a    ↔  Definite Who Verb Object
1  Described.a         Not.3 Verb.base.state.a.3.c Object.c Who.a Definite.a  ↔  Definite Who Not Verb Object
1  Described.a         Being.3.a Who.a Definite.a                           ↔  Definite Who Being
"""
