"""Facts that answer none of the questions: sentences of several languages, made of parts; log lines
and code. Always the same ones."""

from __future__ import annotations

from itertools import product

PARTS = (
    (("The dentist", "My cousin", "A colleague", "The gardener", "Our choir", "The new intern",
      "Somebody", "The neighbour upstairs", "The children", "An old friend"),
     ("forgot", "wants", "sold", "likes", "borrowed", "found", "needs", "has never seen"),
     ("a second umbrella", "the blue bicycle", "an open window", "the name of the street",
      "more time for lunch")),
    (("Will you", "Who could", "What if we", "It is said that they", "Do they", "I think I will",
      "This is what they", "Is it true they"),
     ("open the door", "call me tomorrow", "wait for the bus", "need a new lamp", "meet at noon")),
    (("Der Chef", "Meine Tante", "Ein Gast", "Die Lehrerin", "Unser Verein"),
     ("sucht", "kauft", "vergisst", "bringt"),
     ("einen neuen Tisch", "das große Paket", "die alte Lampe", "frisches Brot", "eine Karte")),
    (("Le patron", "Ma tante", "Un invité", "La maîtresse", "Notre club"),
     ("cherche", "achète", "oublie", "apporte"),
     ("une nouvelle table", "le grand paquet", "la vieille lampe", "du sel", "une carte")),
    (("El jefe", "Mi abuela", "Un vecino", "La maestra", "Nuestro equipo"),
     ("busca", "compra", "olvida", "trae"),
     ("una mesa nueva", "el paquete grande", "la lámpara vieja", "agua fría", "un mapa")),
    (("Il capo", "Mia nonna", "Un ospite", "La maestra"), ("cerca", "compra", "dimentica"),
     ("un tavolo nuovo", "il pacco grande", "la sedia vecchia", "una mappa")),
    (("O chefe", "Minha prima", "Um vizinho", "A professora"), ("procura", "compra", "esquece"),
     ("uma mesa nova", "o pacote grande", "a cadeira velha", "um mapa")),
    (("Szef", "Moja ciocia", "Gość", "Nauczycielka"), ("szuka", "kupuje", "gubi"),
     ("nowego stołu", "dużej paczki", "starej lampy", "świeżego chleba")),
    (("Начальник", "Моя тётя", "Гость", "Учительница"), ("ищет", "покупает", "забывает"),
     ("новый стол", "большую посылку", "старую лампу", "свежий хлеб")),
    (("Patron", "Teyzem", "Bir misafir", "Öğretmen"), ("yeni masa", "büyük paket", "eski lamba"),
     ("arıyor", "alıyor", "unutuyor")),
    (("Ο διευθυντής", "Η γιαγιά", "Ένας γείτονας"), ("ψάχνει", "αγοράζει", "ξεχνά"),
     ("καινούργια καρέκλα", "μεγάλο πακέτο", "παλιά λάμπα")),
    (("المدير", "خالتي", "الضيف"), ("يريد", "يشتري", "ينسى"),
     ("طاولة جديدة", "خبزا طازجا", "مصباحا قديما")),
    (("老板", "我姑姑", "客人", "老师"), ("在找", "买了", "忘了"),
     ("新桌子", "大包裹", "旧台灯", "新鲜面包")),
    (("部長は", "叔母は", "客は"), ("新しい机を", "大きな荷物を", "古い電灯を"),
     ("探している", "買った", "忘れた")),
    (("부장님이", "이모가", "손님이"), ("새 책상을", "큰 소포를", "낡은 전등을"),
     ("찾는다", "샀다", "잊었다")),
    (("INFO", "WARN", "ERROR", "DEBUG"), ("worker 3", "queue 8", "shard 12", "cache 5"),
     ("took 140 ms", "was restarted", "lost its lease", "code 17", "is open", "needs a name")),
    (("def load_", "def save_", "class ", "import "), ("page", "user", "record", "config"),
     ("(path): return None", " # see the notes", " = open(name)", ".value")),
    (("Parcel", "Ticket", "Batch", "Room"), ("101", "4402", "77", "9310", "15"),
     ("arrived", "was closed", "is waiting", "costs 12 euros", "weighs 3 kg")),
)  # fmt: skip


def texts() -> list[str]:
    """Return the texts, each once."""
    found: list[str] = []
    for parts in PARTS:
        gap = "" if max(parts[0][0]) > "\u3000" else " "
        gap = "" if parts[0][0].startswith(("def", "class")) else gap
        gap = " " if "\uac00" <= max(parts[0][0]) <= "\ud7a3" else gap
        found += [gap.join(words) for words in product(*parts)]
    return list(dict.fromkeys(found))
