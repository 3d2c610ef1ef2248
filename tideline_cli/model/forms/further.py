"""The further forms of a text, and of a question: also English words whose forms no rule of endings
joins, mice and mouse, went and go, or that are spelled in two ways, colour and color. A question
asks for all forms of a word, so that facts need no term for it.
"""

from __future__ import annotations

from tideline_cli.model.forms.found import Forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Terms = Callable[[str], list[str]]

# A word and then its other forms, each group between two bars: searched as it is, since most
# commands ask for few words.
_GROUPS = (
    "| "
    "aris aros arisen | awak awok awoken | bear bore born | beat beaten | becom becam | begin "
    "began begun | bend bent | bite bit bitten | bleed bled | blow blew blown | break broke "
    "broken | breed bred | bring brought | build built | burn burnt | buy bought | catch caught "
    "| choos chose chosen | cling clung | come came | creep crept | deal dealt | dig dug | dive "
    "dove | draw drew drawn | dream dreamt | drink drank drunk | drive drove driven | eat ate "
    "eaten | fall fell fallen | feed fed | feel felt | fight fought | find found | flee fled | "
    "fling flung | fli flew flown | forbid forbad forbidden | forget forgot forgotten | forgiv "
    "forgav forgiven | freez froze frozen | get got gotten | give gave given | go went gone goe "
    "| grow grew grown | hang hung | hear heard | hide hid hidden | hold held | keep kept | "
    "kneel knelt | know knew known | lay laid | lead led | lean leant | leap leapt | learn "
    "learnt | leav left | lend lent | light lit | lose lost | make made | mean meant | meet met "
    "| mistak mistook mistaken | overcom overcam | pay paid | prove proven | ride rode ridden | "
    "ring rang rung | rise risen | run ran | say said | see saw seen | seek sought | sell sold "
    "| send sent | sew sewn | shake shook shaken | shine shone | shoot shot | show shown | "
    "shrink shrank shrunk | sing sang sung | sink sank sunk | sit sat | sleep slept | slide "
    "slid | smell smelt | speak spoke spoken | speed sped | spell spelt | spend spent | spill "
    "spilt | spin spun | spit spat | spoil spoilt | spring sprang sprung | stand stood | steal "
    "stole stolen | stick stuck | sting stung | stink stank stunk | strike struck stricken | "
    "strive strove striven | swear swore sworn | sweep swept | swell swollen | swim swam swum | "
    "swing swung | take took taken | teach taught | tear tore torn | tell told | think thought "
    "| throw threw thrown | tread trod trodden | understand understood | undergo underw "
    "undergon | undo undid undon | wake woke woken | wear wore worn | weav wove woven | weep "
    "wept | win won | withdraw withdrew withdrawn | write wrote written | overtak overtook "
    "overtaken | rebuild rebuilt | redo redid redon | rewrit rewrot rewritten | resel resold | "
    "repay repaid | retel retold | outgrow outgrew outgrown | oversleep overslept | forese "
    "foresaw foreseen | mislead misl | misunderstand misunderstood | man men | woman women | "
    "child children | person peopl | foot feet | tooth teeth | goos gees | mous mice | lous "
    "lice | ox oxen | penni penc | wife wive | knife knive | life live | leaf leav | loaf loav "
    "| half halv | calf calv | shelf shelv | thief thiev | wolf wolv | elf elv | self selv | "
    "scarf scarv | hoof hoov | wharf wharv | dwarf dwarv | cactus cacti | fungus fungi | "
    "nucleus nuclei | stimulus stimuli | syllabus syllabi | alumnus alumni | radius radii | "
    "focus foci | medium media | datum data | bacterium bacteria | curriculum curricula | "
    "criterion criteria | phenomenon phenomena | analysi analys | basi base | crisi crise | "
    "diagnosi diagnos | thesi these | hypothesi hypothes | parenthesi parenthes | oasi oas | "
    "synopsi synops | axi axe | index indic | appendix appendic | matrix matric | vertex vertic "
    "| vortex vortic | genus genera | corpus corpora | bureau bureaux | plateau plateaux | "
    "grandchild grandchildren | policeman policemen | fireman firemen | fisherman fishermen | "
    "businessman businessmen | housewif housew | penknif penkniv | bookshelf bookshelv | "
    "dormous dormic | salesman salesmen | craftsman craftsmen | chairman chairmen | gentleman "
    "gentlemen | postman postmen | midwif midwiv | good better best | bad wors worst | far "
    "farther farthest further furthest | colour color | favour favor | favourit favorit | "
    "honour honor | labour labor | neighbour neighbor | behaviour behavior | flavour flavor | "
    "harbour harbor | humour humor | rumour rumor | vapour vapor | armour armor | odour odor | "
    "savour savor | parlour parlor | centr center | theatr theater | metr meter | litr liter | "
    "kilometr kilomet | centimetr centimet | millimetr millimet | fibr fiber | calibr calib | "
    "spectr specter | grey gray | tyre tire | kerb curb | plough plow | chequ check | jewelleri "
    "jewelri | aluminium aluminum | aeroplan airplan | pyjama pajama | programm program | "
    "catalogu catalog | dialogu dialog | analogu analog | licenc licens | defenc defens | "
    "offenc offens | mould mold | moustach mustach | sceptic skeptic | organis organiz | realis "
    "realiz | recognis recogn | apologis apolog | optimis optim | analys analyz | customis "
    "custom | specialis special | summaris summar | prioritis priorit | memoris memor | skil "
    "skill | judgement judgment | cosi cozi | doughnut donut | yoghurt yogurt | whiski whiskey "
    "| anaemia anemia | paediatr pediatr | oestrogen estrogen | diarrhoea diarrhea | "
    "haemoglobin hemoglobin | orthopaed orthoped | anaesthet anesthet | manoeuvr maneuv | "
    "encyclopaedia encyclopedia | mum mom "
    "|"
)


def forms_of(term: str) -> Iterator[str]:
    """Yield the other forms of a word; all of them are stems."""
    at = _GROUPS.find(f" {term} ")
    while at >= 0:
        group = _GROUPS[_GROUPS.rindex("|", 0, at + 1) + 1 : _GROUPS.index("|", at)]
        yield from (form for form in group.split() if form != term)
        at = _GROUPS.find(f" {term} ", at + 1)


def further_forms(
    text: str, listed: Sequence[str], *, terms: Terms, languages: Sequence[str], is_plain: bool
) -> Forms:
    """Return the further forms of the text of a fact.

    `terms` gives the terms of a text, `languages` are the codes of those whose stems are wanted.
    `is_plain` says that it has nothing but words of ASCII letters.
    """
    forms = Forms(listed)
    _add(text, forms, terms, languages, is_plain=is_plain)
    return forms


# What else a question with a term asks for: where somebody lives is said by where they moved, too.
_ALSO = {"dotnet": ("net",), "live": ("move",), "wohn": ("gezogen", "umgezogen"),
         "habit": ("déménagé",), "viv": ("mudé", "mudado")}  # fmt: skip


def question_forms(
    text: str, listed: Sequence[str], *, terms: Terms, languages: Sequence[str], is_plain: bool
) -> Forms | None:
    """Return the further forms of a question, as above; and those that a question alone asks for:
    irregular forms, and which terms are parts of one word with hyphens."""
    forms = Forms(listed)
    for term in listed:
        for other in forms_of(term):
            forms.spell(term, other)
        for other in _ALSO.get(term, ()):
            forms.spell(term, other)
    is_plain = is_plain and "-" not in text
    if is_plain and not languages:
        return forms if forms.others else None
    _add(text, forms, terms, languages, is_plain=is_plain)
    return forms


def _add(
    text: str, forms: Forms, terms: Terms, languages: Sequence[str], *, is_plain: bool
) -> None:
    from tideline_cli.model.forms import words  # noqa: PLC0415  plain English needs none of it

    if not is_plain:
        words.add_forms(text, forms, terms)
    if languages:
        words.add_stems(text, languages, forms, terms)
