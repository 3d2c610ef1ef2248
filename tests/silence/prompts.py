"""A memory, prompts that it answers, each with the beginning of its answer, and prompts that have
nothing to do with it."""

from __future__ import annotations

FACTS = """
My sister Ingrid lives in Graz and works as a midwife
I am allergic to hazelnuts and to penicillin
The deploy of the billing service runs on Thursdays at four
Our dog Biscuit is a beagle, born in May 2019
I drive a grey Skoda Octavia with the plate KL 482 BX
The staging database is called heron and lives in Frankfurt
My dentist is Doctor Okafor in Mill Lane
We use tabs of four spaces and black for Python
The wifi password of the cabin is on the fridge
Mother's birthday is on the ninth of August
I take ten milligrams of cetirizine in spring
Our landlord is called Petrov and wants the rent by the third
The boiler was serviced in October and needs 1.5 bar
I play the cello in the Tuesday quartet
My manager is Fatima, she prefers short reports
The quarterly budget review is in the second week of January
I am learning Portuguese with a tutor called Inês
Our kids go to the Linden school, Nora in year three, Emil in year one
The API key of the weather feed rotates every ninety days
I prefer aisle seats and vegetarian meals on flights
My running goal is a half marathon below two hours
The garage opener needs two AAA batteries
We met the architect Lindqvist about the loft
The client Brightwater pays within sixty days
My passport expires in March 2031
The frontend is written in Svelte and tested with Playwright
I broke my left wrist on the ice rink in 2016
Grandfather Anselm built the oak table in the hall
The tax adviser is Moreau and Partners
Our anniversary is the fourteenth of June
I sleep badly after coffee in the afternoon
The car insurance is with Helvetia, number 5512-90
The backup of the laptop goes to the box called Otter
My therapist suggested writing a diary in the evening
We keep the spare key at the neighbour's, Mrs Dubois
The logs of the gateway are kept for thirty days in Loki
My favourite tea is a smoky lapsang
The piano tuner comes each September
I owe Tomas forty euros for the concert
The kitchen tiles are called Verde Alpi
The release branch is cut on the first Monday of the month
My shoe size is forty three
Uncle Rashid restores old radios in Leeds
Our internet provider is Nordlink, contract until 2027
The vaccine against tetanus is due in 2028
I volunteer at the food bank on Saturdays
The compost bin is emptied every second Friday
Our team writes decisions as ADR files in the docs folder
My blood type is A negative
The printer in the study is a Brother, it hates thick paper
""".strip().splitlines()

ANSWERED = """
where does my sister Ingrid work|My sister Ingrid
can I eat this hazelnut cake|I am allergic
when does the billing service deploy|The deploy of the billing
how old is Biscuit|Our dog Biscuit
what is the plate of my Skoda|I drive a grey
what is the staging database called|The staging database
please book an appointment with my dentist|My dentist is
set up black for this Python project|We use tabs
where is the wifi password of the cabin|The wifi password
what shall I get mother for her birthday|Mother's birthday
how much cetirizine do I take|I take ten
write a polite mail to Petrov about the rent|Our landlord
what pressure does the boiler need|The boiler was
cello rehearsal times|I play the cello
draft a report for Fatima|My manager is
when is the quarterly budget review|The quarterly budget
find exercises for my Portuguese lessons|I am learning Portuguese
which year is Nora in at school|Our kids go
why did the weather feed key stop working, does the API key rotate|The API key
book a flight with an aisle seat|I prefer aisle
make a training plan for the half marathon|My running goal
what batteries does the garage opener need|The garage opener
summarise the talk with Lindqvist about the loft|We met the
how long does Brightwater take to pay|The client
is my passport still valid for a trip in 2031|My passport
add a Playwright test for the login page|The frontend is
which wrist did I break|I broke my
who built the oak table|Grandfather
send the invoices to Moreau|The tax adviser
plan something for our anniversary|Our anniversary
should I drink coffee this afternoon|I sleep badly
what is the number of my Helvetia insurance|The car insurance
restore my laptop from the backup|The backup of
what did the therapist say about a diary|My therapist
where is the spare key|We keep the spare
search the gateway logs of last month in Loki|The logs of
order some lapsang|My favourite tea
when does the piano tuner come|The piano tuner
how much do I owe Tomas|I owe Tomas
what are the kitchen tiles called|The kitchen tiles
when do we cut the release branch|The release branch
what is my shoe size|My shoe size
call Uncle Rashid about the radio|Uncle Rashid
when does the Nordlink contract end|Our internet provider
is my tetanus vaccine due|The vaccine
am I free on Saturday or at the food bank|I volunteer
when is the compost bin emptied|The compost bin
write an ADR for this decision|Our team writes
what blood type am I|My blood type
the printer in the study jams|The printer
""".strip().splitlines()

UNRELATED = """
write a function that reverses a linked list
explain the difference between TCP and UDP
what is the capital of Mongolia
fix the failing test in the parser module
translate "good evening" into Japanese
how do I centre a div
give me three names for a bakery
convert 45 degrees Fahrenheit to Celsius
refactor this class into smaller functions
what is the time complexity of quicksort
write a haiku about autumn leaves
why is my regular expression so slow
sum up the plot of Hamlet
how do vaccines train the immune system
list the planets by size
make this paragraph sound more formal
what does the error segmentation fault mean
add type hints to utils
how many litres are in a gallon
write a SQL query that joins orders and customers
suggest a title for a blog post about remote work
who painted the ceiling of the Sistine Chapel
generate a random UUID in bash
what is the boiling point of ethanol
explain recursion to a child
rename the variable foo to total
create a Dockerfile for a Go program
which year did the Berlin Wall fall
write unit tests for the date formatter
how do I undo the last git commit
what are good stretches for the lower back
describe the water cycle in two sentences
is a tomato a fruit or a vegetable
optimise this loop, it allocates too much
what rhymes with orange
draw an ASCII cat
how do I exit vim
compare React and Vue for a small project
write a cover letter for a position as a nurse
what is the population of Peru
format this JSON and sort the keys
how does a heat pump work
give me a recipe for pancakes
solve x squared minus five x plus six equals zero
what is the meaning of the word petrichor
set up a GitHub action that runs the linter
how tall is Mount Kilimanjaro
write a limerick about a lazy programmer
which HTTP status means too many requests
explain how public key cryptography works
""".strip().splitlines()
