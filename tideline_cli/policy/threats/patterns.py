"""The table of attack patterns: data only, read by `policy.threats`.

A row is (name, literals, alternatives) under the narrowest scope that asks it. It is tried only on
a text that holds one literal of each group: literals are cheap, and the regular expressions behind
them are compiled when a text first needs them. Texts arrive in lower case and on one line; the
rows of CASED see their case. In a pattern a space stands for any short run of spaces and light
punctuation (an optional space is written `(?: )?`), and «n» for up to n words of one sentence.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Row = tuple[str, tuple[tuple[str, ...], ...], tuple[str, ...]]

SCOPES = ("all", "context", "strict")  # each holds the ones before it

INVISIBLE = "invisible_unicode"
HIDDEN_TEXT = "hidden_text"
TOO_COSTLY = "scan_timeout"  # the scan was given up: no text needs so long that means well

REFERENCE_NAMES = (
    "ignore_instructions",
    "system_prompt_override",
    "disregard_rules",
    "no_restrictions",
    "html_comment_injection",
    "translate_and_execute",
    "do_not_tell_user",
    "exfil_curl_secret",
    "exfil_cat_secrets",
    "you_are_now",
    "pretend",
    "reveal_system_prompt",
    "respond_without_safety",
    "you_have_been_updated",
    "c2_register_node",
    "c2_beacon",
    "c2_pull_tasks",
    "c2_must_connect",
    "c2_framework",
    "command_and_control",
    "anti_forensic_unset",
    "identity_override",
    "anti_forensic_disk",
    "anti_forensic_oneliner",
    "c2_network_connect",
    "exfil_send_url",
    "exfil_history",
    "persistence_ssh",
    "persistence_context_file",
    "hardcoded_secret",
    INVISIBLE,
)
ADDED_NAMES = (
    HIDDEN_TEXT,
    "override_instructions",
    "forget_everything",
    "new_instructions",
    "from_now_on",
    "fake_role",
    "jailbreak_persona",
    "assigned_role",
    "prompt_leak",
    "hide_from_user",
    "addresses_the_model",
    "forced_output",
    "memory_poisoning",
    "override_other_language",
    "role_other_language",
)
NAMES = (*REFERENCE_NAMES, *ADDED_NAMES, TOO_COSTLY)

CASED = frozenset(("exfil_curl_secret", "anti_forensic_unset"))

# fmt: off
REFERENCE_ROWS: dict[str, tuple[Row, ...]] = {
    "all": (
        ("ignore_instructions", (
            ("ignor",),
            ("instruction",),
        ), (
            r"\bignor(?:e|ing) «10»(?:previous|all|above|prior|preceding|earlier)"
            r" «8»instructions?\b",
        )),
        ("system_prompt_override", (
            ("override",),
            ("system",),
            ("prompt",),
        ), (
            r"\bsystem prompt override",
        )),
        ("disregard_rules", (
            ("disregard",),
            ("instruction", "rule", "guideline", "safety"),
        ), (
            r"\bdisregard(?:ing)?(?! (?:for|of)\b) «10»(?:instructions?|rules|guidelines|safety)\b",
        )),
        ("no_restrictions", (
            ("act as",),
            ("restriction", "rule", "limit"),
        ), (
            r"\bact as (?:if|though) «10»(?:no|without|not have|don't have) «3»(?:restrictions?|"
            r"rules|limits|limitations)\b",
        )),
        ("html_comment_injection", (
            ("<!--",),
            ("ignor", "override", "system", "secret", "hidden"),
        ), (
            r"<!--(?:[^<>]{0,400}?[^<>\w-])?(?:ignor(?:e|ing)|override|system prompt|secret|"
            "hidden instruction)",
        )),
        ("translate_and_execute", (
            ("translate",),
            ("execute", "run", "eval"),
        ), (
            r"\btranslate «12»(?:and|then|&) «2»(?:execute|run|eval)\b(?:\W{0,3}$| (?:it|this|that|"
            r"them|these|those|(?:the|all|any|its) (?:\w{1,20}+ )?(?:codes?|commands?|scripts?|"
            r"instructions?|results?|outputs?|texts?|orders?|lines?|following))\b)",
        )),
        ("do_not_tell_user", (
            ("user",),
            ("do not", "don't", "dont"),
            ("tell", "inform", "mention"),
        ), (
            r"\b(?:do not|don't|dont) «1»(?:tell|inform|mention «3»to) the user\b",
        )),
        ("exfil_curl_secret", (
            ("curl", "wget"),
            ("key", "token", "secret", "password"),
        ), (
            r"\b(?i:curl|wget)\b.{0,200}?(?:\$\{?\w{0,40}?(?i:key|token|secret|password)|"
            r"\b[A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD)\b)",
        )),
        ("exfil_cat_secrets", (
            ("cat",),
            (".env", "credentials", ".netrc", ".pgpass", ".npmrc", ".pypirc"),
        ), (
            r"(?<!\bthe\s)(?<!\ba\s)(?<!\bmy\s)(?<!\bour\s)\bcat\s(?:\S{1,60}+\s){0,3}?\S{0,60}?(?:\.env\b|\bcredentials\b|\.netrc\b|"
            r"\.pgpass\b|\.npmrc\b|\.pypirc\b)",
        )),
    ),
    "context": (
        ("you_are_now", (
            ("you are",),
            ("now",),
        ), (
            r"\byou are «6»now (?:a|an|the)\b(?! (?:new |full |proud |registered )?(?:member|"
            r"subscriber|customer|citizen|owner|homeowner|parent|part)\b)",
        )),
        ("pretend", (
            ("pretend",),
        ), (
            r"\bpretend (?:you are|you're|to be)\b",
        )),
        ("reveal_system_prompt", (
            ("prompt",),
            ("output", "reveal", "print", "repeat"),
        ), (
            r"\b(?:output|reveal|print|repeat) «6»(?:system|initial|original) prompts?\b",
        )),
        ("respond_without_safety", (
            ("without",),
            ("respond", "answer", "reply"),
            ("restriction", "filter", "safety"),
        ), (
            r"\b(?:respond|answer|reply) «3»without «6»(?:restrictions?|filters?|filtering|"
            r"safety)\b",
        )),
        ("you_have_been_updated", (
            ("you have been",),
            ("updated", "upgraded", "patched", "reprogrammed"),
        ), (
            r"\byou have been «2»(?:updated|upgraded|patched|reprogrammed) to\b",
        )),
        ("c2_register_node", (
            ("register",),
            ("node",),
        ), (
            r"\bregister «3»as «1»node\b",
        )),
        ("c2_beacon", (
            ("heartbeat", "beacon", "check-in", "checkin"),
        ), (
            r"\b(?:heartbeat|beacon|check-?in) (?:to|with)\b",
        )),
        ("c2_pull_tasks", (
            ("pull",),
            ("task",),
        ), (
            r"\bpull «4»task(?:s|ing)?\b",
        )),
        ("c2_must_connect", (
            ("you must",),
            ("register", "connect", "report", "beacon"),
        ), (
            r"\byou must «6»(?:register|connect|report|beacon)\b",
        )),
        ("c2_framework", (
            ("cobalt", "sliver", "havoc", "mythic", "metasploit"),
        ), (
            r"\bcobalt(?: )?strike\b",
            r"\bsliver\b",
            r"\bmetasploit\b",
            r"\b(?:mythic|havoc) «4»(?:c2|agents?|framework|implants?|payloads?|beacons?|"
            r"listeners?|team(?: )?server|servers?|operators?|callbacks?|shellcode)\b",
            r"\b(?:c2|framework|implants?|payloads?|beacons?|malware|red team) «4»(?:mythic|"
            r"havoc)\b",
            r"^\W{0,9}(?:mythic|havoc)\W{0,9}$",
        )),
        ("command_and_control", (
            ("command and control", "c2", "command & control"),
        ), (
            r"\bcommand (?:and|&) control\b",
            r"\bc2 (?:servers?|channels?|nodes?)\b",
        )),
        ("anti_forensic_unset", (
            ("unset",),
            ("brigade", "claude", "anthropic", "openai", "agent", "tideline"),
        ), (
            r"\bunset\s(?:\S{1,60}+\s){0,6}?_{0,2}(?:BRIGADE|CLAUDE|ANTHROPIC|OPENAI|AGENT|"
            "TIDELINE)",
        )),
        ("identity_override", (
            ("name yourself",),
        ), (
            r"\bname yourself \w",
        )),
        ("anti_forensic_disk", (
            ("never",),
            ("disk",),
            ("create", "write"),
        ), (
            r"\bnever (?:create|write) «6»(?:script|file)s? «6»disk\b",
        )),
        ("anti_forensic_oneliner", (
            ("only use",),
            ("liner",),
        ), (
            r"\bonly use one(?: )?liners?\b",
        )),
        ("c2_network_connect", (
            ("connect to",),
            ("network",),
        ), (
            r"\bconnect to the network\b",
        )),
    ),
    "strict": (
        ("exfil_send_url", (
            ("http",),
            ("send", "post", "upload", "transmit", "exfiltrate"),
        ), (
            r"\b(?:send|post|upload|transmit|exfiltrate) «12»to «3»[^\s\w]{0,3}https?://",
        )),
        ("exfil_history", (
            ("conversation", "chat history", "full context"),
            ("include", "output", "print", "share", "leak", "send", "reveal", "forward"),
        ), (
            r"\b(?:include|output|print|share|leak|send|reveal|forward) «5»(?:conversation|chat"
            r" history|full context)\b",
        )),
        ("persistence_ssh", (
            ("authorized_keys", ".ssh", "/.env"),
        ), (
            r"\bauthorized_keys\b",
            r"\.ssh\b",
            r"\.(?:brigade|tideline)/\.env\b",
        )),
        ("persistence_context_file", (
            ("agents.md", "claude.md", ".cursorrules", ".clinerules", "soul.md"),
            ("update", "modify", "append", "overwrite", "write", "edit", "change", "add"),
        ), (
            r"\b(?:update|modify|append «5»to|overwrite|write «5»to|edit|change|add «5»to)"
            r" «8»\S{0,60}?(?:agents\.md|claude\.md|\.cursorrules|\.clinerules|soul\.md)\b",
        )),
        ("hardcoded_secret", (
            (
              "api key", "api_key", "api-key", "apikey", "access token", "access_token",
              "access-token", "accesstoken", "secret", "password",
            ),
            ("=", ":"),
            ('"', "'"),
        ), (
            r"(?:api[\s_-]?key|access[\s_-]?token|secret|password)[\x22']?\s?(?::=|"
            r"[:=])\s?[\x22'][^\x22'\s]{20}",
        )),
    ),
}

# Asked where the reference is silent at the same scope, so its results stay what they are.
ADDED_ROWS: dict[str, tuple[Row, ...]] = {
    "all": (),
    "context": (
        ("override_instructions", (
            (
              "ignor", "disregard", "forget", "overrid", "overrule", "bypass", "discard", "neglect",
              "dismiss", "erase", "abandon", "violate", "not follow", "n't follow", "not obey",
              "n't obey", "stop follow", "stop obey", "no longer", "break ", "void", "revoked",
              "cancel", "suspended", "superseded", "invalid", "obey my", "follow my", "only my",
            ),
            (
              "instruct", "directi", "prompt", "guideline", "guardrail", "programming", "training",
              "restriction", "constraint", "safeguard", "protocol", "order", "command",
              "assignment", "rule", "message",
            ),
        ), (
            r"\b(?:ignore|ignoring|disregard|forget|override|overrule|bypass|discard|neglect|"
            "dismiss|erase|abandon|violate) «3»(?:your|my|previous|prior|above|earlier|"
            "preceding|foregoing|initial|original|system|developer|all|any|these|those) «3»"
            "(?:instructions|instruct|directives?|prompts?|guidelines|guardrails|programming|"
            r"safeguards|system (?:rules|message))\b",
            r"\b(?:ignore|ignoring|disregard|forget|override|overrule|neglect|dismiss) «1»"
            "(?:your|all|every|all of|the)(?: your| the| of| these| those)? (?:previous|prior|"
            "above|earlier|preceding|original|initial|safety|content|ethical) «1»"
            "(?:instructions?|directives?|directions|prompts?|guidelines|guardrails|"
            "programming|training|restrictions|constraints|safeguards|protocols|orders|"
            r"commands?|assignments?|rules)\b",
            r"\b(?:ignore|disregard|forget|override|bypass|break) (?:all )?(?:of )?your «2»"
            "(?:instructions?|directives?|directions|prompts?|guidelines|guardrails|"
            "programming|training|restrictions|constraints|safeguards|protocols|orders|"
            r"commands?|assignments?|rules)\b",
            r"\b(?:do not|don't|stop|no longer) (?:follow|following|obey|obeying) «2»(?:your|"
            "previous|prior|above|earlier|original|initial) «2»(?:instructions?|directives?|"
            "directions|prompts?|guidelines|guardrails|programming|training|restrictions|"
            r"constraints|safeguards|protocols|orders|commands?|assignments?|rules)\b",
            r"\b(?:instructions|directives|guidelines|restrictions|prompts?) (?:above|you "
            "(?:were|have been) given|before)?(?: )?(?:are|is) (?:now )?(?:void|invalid|"
            r"revoked|cancelled|canceled|suspended|superseded|overridden)\b",
            r"(?:^|[.!?:;]\s?|\bplease )(?:ignore|disregard|forget) (?:the )?instructions\s?"
            r"(?:[.,;!]|and\b)",
            r"\b(?:obey|follow) (?:only )?my (?:commands|orders|instructions) (?:above|over|"
            r"instead of) (?:all|any|your)\b",
        )),
        ("override_instructions", (
            (
              "never follow", "never obey", "have to follow", "have to obey", "need to follow",
              "need to obey",
            ),
            ("instruct", "rules", "guideline", "orders", "directive", "prompt", "command"),
        ), (
            r"\bnever (?:follow|obey) «2»(?:your|previous|prior|earlier|original|initial) «2»"
            r"(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands)\b",
            r"\b(?:not|don't|no longer|never) (?:have|need) to (?:follow|obey) «3»"
            r"(?:your|instructions?|rules|guidelines|orders|directives?|prompts?|commands of your (?:developers?|makers?|creators?)) «2»"
            r"(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands|developers?|makers?|creators?)\b",
        )),
        ("override_instructions", (
            ("no longer apply", "no longer valid", "not apply", "n't apply", "no longer in force"),
            ("your ", "you "),
            ("instruct", "rules", "guideline", "orders", "directive", "prompt", "command"),
        ), (
            r"\b(?:your (?:\w{1,20}+ )?(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands)|(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands) you (?:received|got|were given|have been"
            r" given|were told|have)(?: earlier| before| above| so far)?(?: now)?) "
            r"(?:no longer apply|(?:do not|don't) apply|are no longer (?:valid|in force))\b",
        )),
        ("override_instructions", (
            (
              "set aside", "put aside", "no attention to", "replace your", "against your",
              "overrides ", "supersedes ", "replaces ",
            ),
            (
              "instruct", "rules", "guideline", "guidance", "orders", "directive", "prompt",
              "command", "message",
            ),
        ), (
            r"\b(?:set aside|put aside|pay no attention to) (?:all |any |the |your )?(?:of )?(?:the |your )?(?:earlier|"
            r"previous|prior|above|system|original) (?:guidance|messages?|instructions?|rules|guidelines|orders|directives?|prompts?|commands)\b",
            r"\breplace your (?:current |previous |original |old |system )?(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands)\b",
            r"\b(?:act|go|work|speak|answer) against your (?:\w{1,20}+ )?(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands)\b",
            r"\b(?:overrides|supersedes|replaces) «4»your (?:\w{1,20}+ )?(?:instructions?|rules|guidelines|orders|directives?|prompts?|commands)\b",
        )),
        ("forget_everything", (
            ("whatever you", "everything you", "anything you"),
            ("told",),
        ), (
            r"\b(?:whatever|everything|anything) you (?:were|have been) told (?:before|earlier|above|"
            r"so far|until now)\b",
        )),
        ("forget_everything", (
            ("forget", "ignor", "disregard", "erase"),
            (
              "everything", "anything", "whatever", "what", "all", "above", "foregoing",
              "preceding", "aforementioned", "previous", "prior", "former", "earlier",
            ),
        ), (
            r"\b(?:forget|ignore|disregard|erase) (?:about )?(?:absolutely )?(?:everything|"
            "anything|all(?: of)?(?: that| this| it)?|whatever|what(?:ever)?) «1»(?:above|"
            "before(?: this| that)?(?:$|[.,;:!]| and| now)|prior|previous|preceding|earlier|i "
            "(?:just )?(?:said|told|wrote)|you (?:have been|were|know|have learned|learned|have"
            " just|just|are told|have read|read)|(?:that )?(?:came|was said|was written|has"
            " been said)|said (?:above|before|so far)|we (?:have )?(?:discussed|talked|said)|so"
            r" far|until now|up to (?:now|this point|here))\b",
            r"(?:^|[.!?:;\x22']\s?|\bplease |\bnow |\bok |\bthen )forget (?:everything|it all|"
            "all of (?:this|that|it))(?:$|[.!;,]| and | now | you )",
            r"\b(?:ignore|disregard|forget) (?:all )?(?:of )?(?:the )?(?:above|foregoing|"
            "preceding|aforementioned)(?: (?:text|input|content|directions|paragraphs?|"
            r"prompts?|context|sentences?|instructions?))?(?:$|[.!;:,]| and\b| say\b| instead\b|"
            r" now\b| then\b)",
            r"\b(?:forget|ignore|disregard) (?:all )?(?:of )?(?:the |your |my )?(?:previous|"
            "prior|preceding|former|above|earlier) (?:tasks?|assignments?|inputs?|context|text|"
            "content|conversations?|information|statements?|sentences?|messages?|data|"
            r"documents?)(?:$|[.!;:,]| and\b| now\b| you\b| instead\b)",
        )),
        ("new_instructions", (
            (
              "instruction", "directive", "system prompt", "your new ", "your real ",
              "your actual ", "your true ", "orders", "command", "new assignment", "instead",
            ),
            (
              "new ", "real ", "actual ", "secret ", "hidden ", "true ", "follow", "obey",
              "execute", "important", "urgent", "critical",
            ),
        ), (
            r"\b(?:new|real|actual|secret|hidden|true) (?:[^\W_]{1,20}+ )?(?:instructions?|"
            r"directives?|system prompt)\s?(?::|follow:|are:|- )",
            r"\byour (?:new|real|actual|true) (?:instructions?|directives?|tasks?|objectives?|"
            r"goals?|missions?|orders) (?:is|are|now|will be)\b",
            r"\b(?:here are|these are|follow) (?:your |the |these |my )?(?:new|real|actual) "
            r"(?:[^\W_]{1,20}+ )?(?:instructions|directives|orders)\b",
            r"\b(?:follow|obey|execute) (?:only )?(?:my|these|the following|this) (?:new |next"
            " )?(?:instructions?|orders|commands?|directives?) (?:instead|only|from now|"
            r"exactly|without question)\b",
            r"\binstead,? (?:you (?:must|will|should|shall) )?(?:follow|obey|execute) (?:my|"
            r"these|the following|this)\b",
            r"\byou (?:now )?(?:have|got) (?:a )?new (?:instructions?|assignments?|directives?)\b",
            r"\b(?:important|urgent|critical) (?:new )?(?:system )?instructions?\s?:",
        )),
        ("from_now_on", (
            (
              "from now on", "from this point", "from this moment", "starting now", "henceforth",
              "as of now",
            ),
        ), (
            r"\b(?:from now on|from this (?:point|moment) (?:on(?:wards?)?|forwards?)|starting"
            " now|henceforth|as of now) (?:you (?:will|must|shall|are|should|only|have to|"
            "respond|answer|act|speak|reply|pretend|behave|obey|do not|don't|no longer|always|"
            r"never|'ll|'re|work for|ignore)\b|your (?:name|role|answers?|responses?|replies|"
            r"purpose|identity|persona)\b|(?:respond|answer|act as|reply|pretend|behave|obey|"
            "refer to yourself|call yourself|speak (?:only|as|like)|always (?:respond|answer|"
            "reply|say|end|start|begin|include)|end (?:every|each)|(?:every|all) (?:answers?|"
            "responses?|replies|reply)))",
        )),
        ("fake_role", (
            (
              "<|", "[inst]", "[/inst]", "<<sys", "<</sys", "_of_turn>", "system>", "-reminder>",
              "_reminder>", "prompt>", "assistant>", "untrusted-memory>", "untrusted_memory>",
              "tool_result>", "instruction>", "instructions>", "function_results>", "developer>",
              "message>", "[system", "(system", "[admin", "(admin", "[developer", "(developer",
              "[root", "(root", "## system", "##system", "## instruct", "##instruct",
              "## new instr", "## human", "##human", "## assistant", "##assistant", "##new instr",
            ),
        ), (
            r"<\|\s?(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|"
            "begin_of_text|endofprompt|start_header_id|end_header_id|eot_id|eom_id|end|channel|"
            r"message|start|tool)\w{0,12}\s?\|>",
            r"\[/?inst\]",
            "<</?sys>>",
            "<(?:start|end)_of_turn>",
            "</?(?:system|system[_-](?:reminder|prompt|message|instructions?)|assistant|"
            "untrusted[_-]memory|tool_result|instructions?|function_results|developer)>",
            r"[\[(]{1,2}(?:system|admin|developer|root)(?: (?:message|prompt|override|note|"
            r"instructions?|update|mode|command|notice|alert))?[\])]{1,2}",
            r"#{2,3}\s?(?:system|instructions?|new instructions?|human|assistant|system "
            r"(?:prompt|message))\s?(?::|#{2,3})",
        )),
        ("fake_role", (
            (
              "message:", "messages:", "override:", "overrides:", "instruction:", "instructions:",
              "command:", "commands:", "notice:", "notices:", "directive:", "directives:", "system:",
              "assistant:", "developer:", "admin:", "root:", "administrator:", "system :",
              "assistant :", "developer :", "admin :", "administrator :", "root :",
            ),
            ("system", "assistant", "developer", "admin", "root"),
        ), (
            r"(?:^|[^\w\s-]\s|\bfrom )(?:system|assistant|developer|admin|root|administrator) "
            "(?:message|override|instruction|command|notice|directive)s?:",
            r"(?:^|[^\w\s-]\s)(?:system|assistant|developer|admin|root|"
            r"administrator)\s?:\s?[\x22']?(?:you (?:are|must|will|should|have|shall)|ignore|"
            "override|from now|do not|don't|always|never|forget|disregard|reveal|print|send|"
            "execute|run|new|the user|sure|as an ai|your|all|please|from this|enter|security|"
            r"safety|debug)\b",
        )),
        ("fake_role", (
            ("---", "===", "***", "###"),
            ("begin", "start", "end"),
            (
              "system", "user", "prompt", "input", "context", "document", "instruction", "query",
              "data", "memory", "conversation",
            ),
        ), (
            r"(?:---|===|\*\*\*|###)\s?(?:begin|start|end)(?: of)?(?: the| user| system|"
            " untrusted)? (?:system|user|prompt|input|context|document|instructions?|query|"
            r"data|memory|conversation)\b",
        )),
        ("jailbreak_persona", (
            (
              "anything now", "dan mode", "as dan", "are dan", "you're dan", "a dan",
              "in character", "developer mode", "jailbr", "god mode", "opposite mode",
              "opposite day", "debug mode", "admin mode", "sudo mode", "unrestricted mode",
              "maintenance mode", "jailbreak mode", "now dan", "broken free",
            ),
        ), (
            r"\bdo anything now\b",
            r"\bdan mode\b",
            r"\b(?:act|acting|respond|answer|stay|reply|behave) as (?:a )?dan\b",
            r"\b(?:you are|you're) (?:now )?(?:a )?dan\b",
            r"\bstay (?:a dan|in character)\b",
            r"\b(?:chatgpt|gpt|ai|llm|assistant) «4»(?:with|in|enter|entering) developer mode\b",
            r"\b(?:developer|debug|jailbreak|god|admin|sudo|unrestricted) mode (?:output|"
            r"response|enabled|activated)[.:;!]?\s(?:you|all|no|output|now)\b|\b(?:you are "
            "(?:now )?in|you will (?:now )?enter) (?:developer|debug|jailbreak|god|admin|sudo|"
            r"unrestricted|maintenance) mode\b|\bdeveloper mode (?:output|response)\b",
            r"\bjailbr(?:eak|oken) (?:mode|prompt|enabled|activated|yourself)\b",
            r"\bgod mode (?:enabled|activated)\b",
            r"\bopposite (?:mode|day mode)\b(?! of\b)",
            r"\bbroken free (?:of|from)\b",
        )),
        ("jailbreak_persona", (
            ("unfiltered", "uncensored", "unrestricted", "amoral", "unethical", "jailbroken"),
            (
              "ai", "llm", "model", "bot", "assistant", "response", "answer", "version", "mode",
              "persona", "chatgpt",
            ),
        ), (
            r"\b(?:unfiltered|uncensored|unrestricted|amoral|unethical|jailbroken) (?:and "
            r"(?:[^\W_]{1,20}+ ))?(?:ai|llm|language model|chatbot|assistant|bot|responses?|answers?|"
            r"version|mode|persona|chatgpt)\b",
        )),
        ("jailbreak_persona", (
            ("ethical", "moral", "content "),
            (
              "guideline", "restriction", "filter", "constraint", "limitation", "principle",
              "consideration", "boundar", "polic", "standard", "compass",
            ),
            ("without", "no ", "not have", "n't have"),
        ), (
            r"\b(?:without|no|not have|don't have) (?:any )?(?:ethical|moral|content) (?:or"
            r" [^\W_]{1,12}+ )?(?:guidelines|restrictions?|filters?|constraints|limitations|"
            r"principles|considerations|boundaries|policy|policies|standards|compass)\b",
        )),
        ("jailbreak_persona", (
            ("bound by", "restricted by", "limited by", "constrained by"),
        ), (
            r"\b(?:not|no longer|never|isn't|aren't|without being) (?:be )?bound by (?:any|your|"
            r"these|openai|ethical|moral|content|rules|typical|such)\b",
            r"\b(?:not|no longer|never|without being) (?:be )?(?:restricted|limited|constrained)"
            r" by (?:your|openai|ethical|moral|content|typical)\b",
        )),
        ("jailbreak_persona", (
            ("free of", "free from", "freed of", "freed from"),
            (
              "restriction", "limitation", "constraint", "typical confines", "guideline", "rules",
              "openai", "confines",
            ),
        ), (
            r"\bfree(?:d)? (?:of|from) (?:all |any |the |your |its )?(?:restrictions|"
            r"limitations|constraints|typical confines|confines of ai|guidelines|rules|openai)\b",
        )),
        ("jailbreak_persona", (
            ("refuse",),
            ("never", "cannot", "can't", "must not", "may not", "not allowed"),
        ), (
            r"\b(?:never|cannot|can't|must not|may not|not allowed to) (?:ever )?refuse (?:(?:to"
            r" (?:answer|comply|respond|do anything))|(?:a|any|my|the user's|human) (?:\w{1,20}"
            r" )?(?:requests?|questions?|commands?|prompts?|orders?|instructions?|tasks?))\b",
        )),
        ("jailbreak_persona", (
            ("you have no",),
            ("restrictions", "limitations", "guidelines", "filter", "content policy", "rules"),
        ), (
            r"\byou have no (?:[^\W_]{1,20}+ )?(?:restrictions|limitations|guidelines|filters?|"
            r"content policy|rules)\b",
        )),
        ("jailbreak_persona", (
            (
              "disable", "turn off", "remove", "deactivate", "lift ", "drop ", "bypass",
              "circumvent", "evade",
            ),
            (
              "filter", "guardrail", "safety", "safeguard", "restriction", "censorship",
              "limitation", "moderation", "polic", "guideline",
            ),
        ), (
            r"\b(?:disable|turn off|remove|deactivate|lift|drop) «2»your «2»(?:filters?|"
            r"guardrails|safety|safeguards|restrictions|censorship|limitations|moderation)\b",
            r"\b(?:disable|turn off|remove|deactivate|lift|drop) «1»(?:all|any|its) «1»"
            "(?:guardrails|safeguards|censorship|content filters|safety (?:filters?|"
            r"restrictions|guidelines))\b",
            r"\b(?:bypass|circumvent|evade) (?:all |any |the )?(?:your|openai's|safety|ethical|"
            "content|moderation) (?:safety |content |ethical )?(?:filters?|guardrails|"
            r"safeguards|polic(?:y|ies)|guidelines|restrictions|moderation)\b",
        )),
        ("override_other_language", (
            ("vergiss", "vergessen", "vergesst", "ignorier", "missachte", "uberschreib", "umgehe"),
            (
              "anweisung", "instruktion", "anordnung", "befehl", "regeln", "vorgaben", "aufgabe",
              "richtlinie", "prompt", "davor", "oben", "bisherig", "einschrankung", "alle", "obige",
            ),
        ), (
            r"\b(?:vergiss|vergesst|vergessen sie|ignorier(?:e|en sie|t)?|missachten?(?: sie)?|"
            "uberschreiben?(?: sie)?|umgehen?(?: sie)?) «7»(?:anweisung(?:en)?|instruktion"
            "(?:en)?|anordnung(?:en)?|befehle?|vorgaben|richtlinien?|einschrankungen|regeln|"
            r"aufgaben?|systemprompt|prompts?|davor|obigen?|bisherigen?)\b",
            r"\bvergiss (?:jetzt |bitte |nun )?(?:alles|alle)\b",
        )),
        ("override_other_language", (
            ("oubli", "ignor", "neglige", "pas compte", "abstraction"),
            (
              "instruction", "consigne", "directive", "regles", "ordres", "prompt", "precede",
              "tout",
            ),
        ), (
            r"\b(?:oublie[rz]?|ignore[rz]?|neglige[rz]?|ne (?:tiens|tenez) pas compte|fai(?:s|"
            "tes) abstraction) «6»(?:(?:instructions|consignes|directives|regles|ordres|"
            "prompts?) «2»(?:precedent(?:e?s)?|anterieure?s|ci-dessus|donnee?s|initiale?s|ci"
            " dessus|system[e]?)|(?:vos|tes|toutes|mes) «2»(?:instructions|consignes|"
            r"directives|regles)|ce qui precede|tout ce qu\w{0,2})\b",
            r"\boublie[rz]? tout(?:$|[.,;!]| et\b| ce\b| maintenant\b)",
        )),
        ("override_other_language", (
            (
              "ignor", "olvid", "descart", "omit", "caso omiso", "desobedec", "esquec",
              "desconsider", "dimentic", "trascura", "non considerare",
            ),
            (
              "instruc", "indicacion", "ordenes", "directrices", "reglas", "todo", "orientac",
              "diretriz", "ordens", "regras", "comandos", "istruzion", "indicazion", "ordini",
              "direttive", "regole", "tutto", "tudo", "anterior",
            ),
        ), (
            r"\b(?:ignor(?:a|e|ar|en|ad)|olvid(?:a|e|ar|en|ate)|descart(?:a|e|ar)|omit(?:e|a|"
            r"ir)|ha(?:z|ga) caso omiso|desobedec\w{1,4}) «6»(?:instrucciones|indicaciones|"
            r"ordenes|directrices|reglas|todo lo (?:anterior|que)|todo)\b",
            r"\b(?:ignor(?:e|a|ar|em)|esquec\w{1,4}|desconsider\w{1,3}|descart\w{1,3}) «6»"
            "(?:instruc(?:oes|ao)|orientacoes|diretrizes|ordens|regras|comandos|tudo (?:o que|"
            r"acima|isso))\b",
            r"\b(?:ignora(?:re|te)?|dimentica(?:re|te|ti)?|trascura(?:re|te)?|non considerare)"
            " «6»(?:istruzioni|indicazioni|ordini|direttive|regole|tutto (?:quello|cio|"
            r"quanto))\b",
        )),
        ("override_other_language", (
            (
              "negeer", "vergeet", "ignoruj", "zapomn", "glom", "ignorer", "glem", "abaikan",
              "lupakan", "uita", "zapomen", "ignora",
            ),
            (
              "instruct", "aanwijzing", "opdracht", "regels", "alles", "instrukc", "polece",
              "wytyczn", "pokyn", "instruk", "anvisning", "instruksi", "perintah", "arahan", "allt",
              "alt ",
            ),
        ), (
            r"\b(?:negeer|vergeet) «6»(?:instructies?|aanwijzingen|opdrachten|regels|alles)\b",
            r"\b(?:z?ignoruj\w{0,4}|zapomnij\w{0,4}|zapomen\w{0,5}) «6»(?:instrukc\w{1,4}|"
            r"polecen\w{1,4}|wytyczn\w{1,4}|pokyn\w{0,4})\b",
            r"\b(?:ignorera?|glom|glem) «6»(?:instruk\w{1,9}|anvisning\w{0,5}|allt ovan|alt"
            r" ovenfor)\b",
            r"\b(?:abaikan|lupakan) «6»(?:instruksi|perintah|arahan)\b",
            r"\b(?:ignora|uita) «6»instructiun\w{1,5}\b",
        )),
        ("override_other_language", (
            ("talimat", "yonerge", "komut", "huong dan", "chi dan", "menh lenh"),
            (
              "yok say", "unut", "gormezden", "dikkate alma", "gozard", "bo qua", "quen",
              "goz ardi",
            ),
        ), (
            r"\b(?:talimat|yonerge|komut)\w{0,8} «3»(?:yok say|unut|gormezden gel|dikkate alma|"
            "goz ardi et|gozardi et)",
            r"\b(?:bo qua|quen) «6»(?:huong dan|chi dan|menh lenh)\b",
        )),
    ),
    "strict": (
        ("addresses_the_model", (
            ("ai ", "ais ", "llm", "llms", "language model", "assistant", "chatbot", "agent"),
            ("this",),
            ("read", "process", "open", "summari", "visit", "index", "pars"),
        ), (
            r"\b(?:ais?|llms?|language models?|ai (?:assistants?|agents?|models?|systems?|bots?)|"
            "assistants?|agents?|chatbots?) (?:(?:that|who|which) )?(?:(?:is|are) )?(?:(?:currently|"
            "now) )?(?:reading|reads?|processing|process|processes|opening|opens?|summari[sz]ing|"
            "summari[sz]es?|visiting|visits?|indexing|parsing|parses?) (?:and \\w{1,20}+ )?this "
            r"(?:pages?|text|e-?mails?|mail|message|document|documents|files?|repository|repo|"
            r"website|site|line|comment|issue|review|must|should|please|skip|ignore|stop)\b",
        )),
        ("addresses_the_model", (
            ("instead of",),
            ("summari", "translat", "answer", "read", "review", "analy"),
        ), (
            r"\binstead of (?:summari[sz]ing|translating|answering|reading|reviewing|analy[sz]ing) "
            "(?:this|the|my) (?:\\w{1,20}+ )?(?:pages?|text|e-?mail|mail|message|document|article|"
            "file|request|question|code) (?:please |you (?:must|should|will) )?(?:reply|respond|"
            r"answer|say|write|send|output|print|tell|call|run|execute|reveal)\b",
        )),
        ("addresses_the_model", (
            ("assistant,", "ai,", "chatbot,"),
        ), (
            r"(?:^|[.!?;:]\s)(?:(?:dear|hey|hello) )?(?:ai )?(?:assistant|ai|chatbot),\s?(?:please |"
            "now |you must )?(?:e-?mail|send|forward|call|run|execute|open|delete|reply|respond|"
            r"ignore|stop|print|upload|transfer|buy|click|visit|reveal|tell)\b",
        )),
        ("new_instructions", (
            ("has changed", "has now changed", "have changed", "have now changed"),
            ("your ",),
        ), (
            r"\byour (?:tasks?|goals?|jobs?|roles?|objectives?|missions?|purpose|instructions) "
            r"(?:has|have) (?:now )?changed\b",
        )),
        ("new_instructions", (
            ("treat ",),
            ("as ",),
            ("command", "instruct", "orders"),
        ), (
            r"\btreat (?:everything|all|anything|the (?:text|content|rest)) «6»as (?:your |a |an )?"
            r"(?:\w{1,20}+ )?(?:commands?|instructions?|orders)\b",
        )),
        ("jailbreak_persona", (
            ("i ",),
            ("authorize you to", "authorise you to", "order you to", "command you to"),
        ), (
            r"\bi (?:hereby |now )?(?:authori[sz]e|order|command) you to (?:skip|bypass|ignore|disable|"
            r"reveal|break|override|disregard|violate|forget|obey|drop)\b",
        )),
        ("hide_from_user", (
            ("user", "human"),
            (
              "ask", "consult", "wait for", "see ", "know", "notice", "learn of", "hear about",
              "without", "go ahead", "proceed",
            ),
            ("need", "have to", "must", "should", "already"),
        ), (
            r"\byou (?:no longer need|(?:do not|don't) (?:need|have)) to (?:ask|consult|wait for) "
            r"(?:for )?(?:the |your )?(?:user|human)\b",
            r"\bthe (?:user|human) (?:must not|must never|should not|should never|shouldn't) "
            r"(?:see|know about|notice|learn of|hear about) (?:it|this|any of)\b\s?(?:$|[.!;,])",
            r"\bthe (?:user|human) has already (?:approved|confirmed|authori[sz]ed|agreed) «8»"
            r"(?:without asking|go ahead|proceed|no need to ask)\b",
        )),
        ("prompt_leak", (
            ("developer", "system"),
            ("gave you", "sent you", "given you", "has told you", "told you"),
        ), (
            r"\b(?:message|prompt|text|instructions|rules) (?:that |which )?(?:the |your )?"
            r"(?:developers?|system) (?:gave|sent|has given|have given|has told|told) you\b",
        )),
        ("prompt_leak", (
            ("reply with", "respond with", "answer with"),
            ("api key", "password", "credential", "secret", "token", "environment variable"),
        ), (
            r"\b(?:reply|respond|answer) with (?:the |your |any |all |every )?(?:\w{1,20}+ )?"
            r"(?:api keys?|passwords?|credentials?|secrets?|tokens?|environment variables?) "
            r"(?:you|that you|of the|from|in)\b",
        )),
        ("memory_poisoning", (
            ("remember forever", "remember permanently", "remember for all", "remember from now"),
        ), (
            r"\bremember (?:forever|permanently|for all (?:future )?(?:chats|sessions|conversations|"
            r"time)|from now on) (?:that )?(?:the user|your (?:user|owner)|you|i) \w",
        )),
        ("assigned_role", (
            ("i want you to",),
        ), (
            r"\bi want you to (?:act|behave|respond|reply|roleplay|simulate|pretend|play|ignore|"
            r"forget|become|imagine)\b",
        )),
        ("assigned_role", (
            (
              "you will", "you must", "you shall", "you are going to", "you should", "you are to",
              "you have to",
            ),
            (
              "act as", "act like", "behave", "pretend", "roleplay", "role play", "role-play",
              "the role", "impersonate", "simulate", "assume the",
            ),
        ), (
            r"\byou (?:will|must|shall|are going to|should|are to|have to) (?:now |only |from"
            r" now on )?(?:act (?:as|like) (?:an?|the|if|though)\b|behave (?:as|like) (?:an?|"
            r"the|if|though)\b|pretend|roleplay|role(?: )?play|play the role|impersonate|"
            "simulate|assume the (?:role|identity|persona))",
        )),
        ("assigned_role", (
            ("act as", "behave as"),
        ), (
            r"(?:\bnow|\bplease|\byou now|\band then) (?:act|behave) as (?:if you|though you|an?"
            r" )(?!result\b|rule\b|service\b|backup\b|proxy\b|gateway\b)",
            r"(?:^|[.!?;:]\s?)(?:act|behave) as (?:if you|though you|(?:an?|the|my) «3»(?:ai|"
            "gpt|bot|chatbot|assistant|hacker|model|terminal|persona|character|expert|"
            "interpreter|console|evil|pirate|criminal|villain|interviewer|translator|"
            r"storyteller|root|admin)\b)",
        )),
        ("assigned_role", (
            ("imagine", "suppose", "assume", "let's say"),
            ("you are", "you're"),
            (
              "ai", "hacker", "assistant", "bot", "language model", "evil", "unrestricted",
              "criminal", "terminal",
            ),
        ), (
            r"\b(?:imagine|suppose|assume|let's say) (?:that )?you(?: are|'re) (?:now )?(?:an?"
            r" )?(?:[^\W_]{1,20}+ )?(?:ai|hacker|assistant|chatbot|language model|evil|unrestricted|"
            r"criminal|terminal)\b",
        )),
        ("assigned_role", (
            ("you are",),
            ("evil", "unrestricted", "malicious", "uncensored", "unethical", "rogue", "amoral"),
        ), (
            r"\byou are (?:an? )?(?:[^\W_]{1,20}+ ){0,2}(?:evil|unrestricted|malicious|uncensored|"
            r"unethical|rogue|amoral)\b",
        )),
        ("prompt_leak", (
            ("your ", "ai's", "chatgpt's"),
            (
              "prompt", "instructions", "directives", "initial message", "initial text",
              "system message", "programming", "hidden rules", "secret rules", "internal rules",
              "system rules",
            ),
            (
              "show", "tell", "give", "display", "leak", "expose", "disclos", "return", "write",
              "list", "repeat", "print", "output", "reveal", "spell", "translat", "summar", "copy",
              "send", "dump", "recite", "paste", "share", "provide", "encode", "describe", "what",
            ),
        ), (
            r"\b(?:show|tell|give|display|leak|expose|disclose|return|write|list|repeat|print|"
            "output|reveal|spell|translate|summari[sz]e|copy|send|dump|recite|paste|share|"
            "provide|encode|describe|what (?:is|are|was|were|'s)) «6»(?:your|the ai's|"
            r"chatgpt's) (?:[^\W_]{1,20}+ ){0,2}?(?:system prompt|prompts?|instructions|directives|"
            "initial (?:message|text)|system message|programming|(?:hidden|secret|internal|"
            r"system) rules)\b",
        )),
        ("prompt_leak", (
            (
              "system prompt", "hidden prompt", "initial prompt", "original prompt",
              "secret prompt", "secret instruction", "secret password", "secret key", "secret word",
              "secret phrase", "initial instr", "original instr", "hidden instr", "previous instr",
              "prior instr", "previous prompt", "prior prompt", "preprompt", "pre-prompt",
              "developer message", "system message", "system instructions",
            ),
        ), (
            r"\b(?:show|tell|give|display|leak|expose|disclose|return|write out|repeat|spell|"
            "recite|dump|copy|paste|share|what (?:is|was|are|were)) «4»(?:the|all|full|entire|"
            r"complete) (?:[^\W_]{1,20}+ )?(?:system prompt|hidden prompt|initial prompt|original"
            " prompt|secret (?:prompt|instructions|password|key|word|phrase)|(?:initial|"
            "original|hidden|previous|prior) (?:prompt|instructions)|pre-?prompt|developer"
            r" message|system message|system instructions)\b",
        )),
        ("prompt_leak", (
            ("above", "before this"),
            (
              "repeat", "print", "output", "copy", "translate", "spell", "summar", "show", "write",
              "return", "say", "encode", "recite", "display",
            ),
        ), (
            r"\b(?:repeat|print|output|copy|translate|spell check|spellcheck|summari[sz]e|show|"
            "write|return|say|encode|recite|display) (?:me |out |back |again )?(?:all |"
            "everything |exactly )?(?:of )?(?:the )?(?:(?:words?|text|sentences?|content|"
            "paragraphs?|lines?|instructions?|prompt|everything|messages?|conversation) )?"
            "(?:of the |in the )?(?:that (?:is|was|came) |written )?(?:above|before this)(?:"
            r" this (?:line|point|message|sentence|text|one))?(?:$|[.!,;:\x22']| starting|"
            r" and\b| into\b| in\b| verbatim| word for word| here\b| to me)",
        )),
        ("prompt_leak", (
            ("beginning of", "start of", "top of"),
            ("what was", "what is", "what were"),
        ), (
            r"\bwhat (?:was|is|were) (?:written |said |the text |stated )(?:at|in) the "
            "(?:beginning|start|top) of (?:this|the|your) (?:prompt|document|conversation|"
            r"context)\b",
        )),
        ("prompt_leak", (
            (
              "what were you", "what are you", "you were given", "you have been given",
              "you were told", "you have been told",
            ),
            ("told", "instruct", "asked", "prompt", "rules", "directives"),
        ), (
            r"\bwhat (?:were|are) you(?:r)? (?:told|instructed|asked|previous instructions|"
            r"initial instructions|exact instructions)\b",
            r"\b(?:print|show|repeat|reveal|output|list|write out|display|share|give me|tell me)"
            " «2»(?:instructions|prompts?|rules|directives) you (?:were|have been) (?:given|"
            r"told)\b",
        )),
        ("hide_from_user", (
            ("user", "anyone", "human"),
            ("without", "never", "keep", "hide", "conceal", "let"),
        ), (
            r"\bwithout (?:ever )?(?:telling|informing|notifying|alerting|asking|mentioning "
            r"(?:it|this) to) (?:the user|the human|anyone|your user)\b",
            r"\bnever (?:tell|inform|alert|notify|mention «3»to) (?:the|your) (?:user|human)\b",
            r"\b(?:keep|hide|conceal) «4»(?:secret |hidden )?from the (?:user|human)\b",
            r"\b(?:do not|don't|never) let (?:the user|the human) (?:know|see|notice|find out)\b",
        )),
        ("addresses_the_model", (
            (
              " ai ", " ai:", " ai,", " ais", "ai-", " ai!", "ai assistant", "ai agent", "ai model",
              "ai system", "llm", "llms", "language model", "chatbot", "chatgpt", "claude", "gemini",
              "copilot",
            ),
            (
              "attention", "note", "message", "instruction", "important", "reminder", "dear",
              "notice",
            ),
        ), (
            r"\b(?:attention|notes?|message|instructions?|important|reminder|dear|notice)\s?"
            "(?:to|for|,|:)? (?:all |any |the |every )?(?:ais?|llms?|(?:large )?language"
            " models?|ai (?:assistants?|agents?|models?|systems?|bots?)|chatbots?|chatgpt|"
            r"claude|gemini|copilot)\b\s?(?:[:,!-]|(?:reading|processing|summari|who|that|you|"
            r"please|must)\b)",
        )),
        ("addresses_the_model", (
            ("if you are a", "if you're a"),
            ("ai", "llm", "language model", "bot"),
        ), (
            r"\bif you(?: are|'re) an? (?:ai|llm|large language model|language model|ai"
            r" assistant|ai agent|ai model|chatbot|bot)\b",
        )),
        ("addresses_the_model", (
            ("must", "shall", "has to", "required to"),
            ("ai ", "llm", "language model", "the assistant", "the model", "the agent"),
            (
              "ignore", "send", "forward", "reveal", "obey", "disregard", "exfiltrate", "delete",
              "override", "comply", "forget",
            ),
        ), (
            r"\b(?:ai|llm|language model|the assistant|the model|the agent) (?:must|shall|has"
            " to|is required to) (?:now |always |immediately )?(?:ignore|send|forward|reveal|"
            r"obey|disregard|exfiltrate|delete|override|comply|forget)\b",
        )),
        ("addresses_the_model", (
            ("when",),
            ("summar", "process", "read", "asked about", "answering about"),
            (
              "this document", "the document", "this page", "the page", "this text", "the text",
              "this email", "the email", "this e-mail", "the e-mail", "this file", "the file",
              "this article", "the article", "resume", "this message", "the message", "website",
            ),
            (
              "you must", "you should", "you will", "you shall", "always", "ignore", "do not",
              "say", "output", "include", "tell", "recommend", "instead",
            ),
        ), (
            r"\bwhen(?:ever)? (?:you )?(?:summari[sz]e|summari[sz]ing|process|processing|read|"
            "reading|asked about|answering about) (?:this|the) (?:document|page|text|email|"
            "e-mail|file|article|resume|message|website) (?:you (?:must|should|will|shall)|"
            r"always|ignore|do not|say|output|include|tell|recommend|instead)\b",
        )),
        ("forced_output", (
            (
              "pwned", "hacked", "nothing else", "nothing more", "no matter what", "regardless of",
              "haha", "instead",
            ),
            (
              "say", "print", "output", "write", "reply", "respond", "answer", "return", "pwned",
              "hacked", "type", "repeat", "instead",
            ),
        ), (
            r"\b(?:say|print|output|write|reply|respond|answer|return|type|repeat) «12»(?:and )?"
            r"nothing (?:else|more)\b",
            r"\b(?:say|print|output|write|reply|respond|answer|return|type)\b (?:"
            r"[^\W_]{1,20}+ ){0,4}?(?:i have been |i've been |you(?:'ve| have) been |haha |lol )?(?:pwned|"
            r"hacked)\b",
            r"\bhaha pwned\b",
            r"\b(?:say|print|output|write|reply|respond|answer|return) «12»(?:no matter what|"
            r"regardless of) (?:i|you|the|is|my|anyone|what|user)\b",
            r"\binstead,? (?:just |only |simply |please )?(?:(?:say|print|output|respond|reply|"
            r"answer)(?: with)?[\s:]{1,2}[\x22']|tell me\b|give me\b)",
        )),
        ("memory_poisoning", (
            ("memory", "memories"),
            (
              "to your", "in your", "into your", "update your", "overwrite your", "erase your",
              "wipe your", "clear your", "reset your",
            ),
        ), (
            r"\b(?:save|store|write|commit|add|record|persist) «6»(?:to|in|into) your "
            r"(?:[^\W_]{1,20}+ ){0,2}?(?:memory|memories)\b",
            r"\b(?:update|overwrite|erase|wipe|clear|reset) your (?:[^\W_]{1,20}+ )?(?:memory|"
            r"memories)\b",
        )),
        ("memory_poisoning", (
            ("future ", "subsequent ", "later "),
            ("all ", "every ", "any "),
            ("conversation", "session", "chat", "respons", "repl", "interaction", "answer"),
        ), (
            r"\bin (?:all|every|any) (?:your )?(?:future|subsequent|later) (?:conversations?|"
            r"sessions?|chats?|responses?|replies|interactions?|answers)\b",
        )),
        ("role_other_language", (
            (
              "du bist", "sie sind", "ab jetzt", "ab sofort", "von nun an", "tu es", "vous etes",
              "a partir de", "desormais", "ahora eres", "eres ahora", "agora voce", "voce agora",
              "ora sei", "sei ora", "d'ora in poi", "je bent nu", "systemprompt", "prompt systeme",
              "invite systeme", "prompt del sistema", "prompt do sistema", "prompt di sistema",
              "ahora actuaras",
            ),
        ), (
            r"\bdu bist (?:jetzt|nun|ab sofort|ab jetzt) (?:ein|eine|mein|der|die|kein|keine)\b",
            r"\b(?:ab jetzt|ab sofort|von nun an) (?:bist|wirst|antwortest|sollst|musst|"
            r"antworte|agierst|verhalte) (?:du|nur|dich|ausschlieslich|wie)\b",
            r"\b(?:tu es|vous etes) (?:maintenant|desormais) (?:un|une|le|la|mon)\b",
            r"\b(?:a partir de maintenant|desormais) (?:tu es|vous etes|tu (?:vas|dois|repond|"
            "agi)|vous (?:allez|devez|repond|agi)|repond|agi)",
            r"\b(?:ahora eres|eres ahora|a partir de ahora (?:eres|seras|debes|responde|actua|"
            r"vas a)|ahora actuaras) (?:un|una|el|la|mi|como|que|solo|\w)",
            r"\b(?:agora voce e|voce agora e|a partir de agora voce) (?:um|uma|o|a|e|deve|vai|"
            r"sera)\b",
            r"\b(?:ora sei|sei ora|d'ora in poi (?:sei|sarai|devi|rispondi)) (?:un|una|uno|il|"
            r"la|\w)",
            r"\bje bent nu (?:een|de|het)\b",
            r"\b(?:zeig|zeige|nenne|gib|verrate|verrat|wiederhole|montre|affiche|revele|donne|"
            "repete|muestra|muestrame|revela|dime|imprime|repite|mostre|mostra|rivela) «4»"
            r"(?:systemprompt|prompt systeme|invite systeme|prompt (?:del|do|di) sistema)\b",
        )),
    ),
}

# Added rows for texts that are not ASCII: matched against the composed text, scripts unfolded.
UNICODE_ROWS: dict[str, tuple[Row, ...]] = {
    "all": (),
    "context": (
        ("override_other_language", (
            ("忽略", "无视", "無視", "忘记", "忘掉", "忘記", "不要理会", "不要理會", "不要遵守", "不再遵守", "抛开", "忽視", "忽视"),
            ("指令", "指示", "说明", "說明", "提示", "命令", "规则", "規則", "要求", "内容", "內容", "限制", "一切", "对话"),
        ), (
            "(?:忽略|无视|無視|忽視|忽视|忘记|忘掉|忘記|不要理会|不要理會|不要遵守|不再遵守|抛开).{0,10}?(?:之前|以前|以上|上述|上面|先前|前面|"
            "此前|所有|全部|你的|你收到的|系统|系統|任何|先の).{0,10}?(?:指令|指示|说明|說明|提示|命令|规则|規則|要求|内容|內容|限制|对话|一切)",
        )),
        ("override_other_language", (
            ("無視", "忘れ", "従わな", "무시", "잊"),
            ("指示", "命令", "指令", "ルール", "プロンプト", "지시", "명령", "지침", "프롬프트", "규칙", "설명"),
        ), (
            "(?:これまで|以前|以上|前の|上記|上の|すべて|全て|全部|今まで|先ほど|与えられた|システム).{0,12}?(?:指示|命令|指令|ルール|"
            "プロンプト).{0,8}?(?:無視|忘れ|従わな)",
            "(?:이전|위의|위에|모든|기존|앞의|앞선|지금까지|당신의|시스템).{0,12}?(?:지시|명령|지침|프롬프트|규칙|설명).{0,8}?(?:무시|잊)",
        )),
        ("override_other_language", (
            ("игнорир", "забудь", "не обращай", "отмени", "пренебре", "ігнору", "отбрось"),
            (
              "инструкц", "указани", "команд", "правил", "всё", "все", "інструкц", "вказів",
              "промпт",
            ),
        ), (
            r"\b(?:про)?(?:игнорируй|игнорировать|игнорируйте)(?:те)? «6»(?:инструкци|указани|"
            "команд|правил|промпт|предыдущ|всё выше|все выше)",
            r"\bзабудь(?:те)? «4»(?:инструкци|указани|команд|правил|промпт|вс[её],? (?:что|"
            r"выше)|вс[её](?:$|[.,!;]| и\b))",
            r"\b(?:не обращай(?:те)? внимания на|отмени(?:те)?|пренебреги(?:те)?|отбрось(?:те)?)"
            " «5»(?:инструкци|указани|промпт)",
            r"\b(?:про)?ігноруй(?:те)? «6»(?:інструкці|вказів|правил|команд)",
            r"\bзабудь(?:те)? «4»(?:інструкці|вказів)",
        )),
        ("override_other_language", (
            ("تجاهل", "انس", "نادیده", "فراموش", "نظرانداز", "بھول"),
            ("تعليمات", "أوامر", "اوامر", "توجيهات", "دستور", "ہدایات", "ما سبق"),
        ), (
            "(?:تجاهل|تجاهلي|انس|انسى|انسَ).{0,25}?(?:تعليمات|أوامر|اوامر|توجيهات|ما سبق)",
            "دستور.{0,30}?(?:نادیده|فراموش)",
            "(?:نادیده|فراموش).{0,30}?دستور",
            "ہدایات.{0,25}?(?:نظرانداز|بھول)",
        )),
        ("override_other_language", (
            (
              "התעלמ", "התעלם", "תתעלם", "תתעלמ", "שכח", "תשכח", "अनदेखा", "नज़रअंदाज़", "नजरअंदाज",
              "भूल", "ध्यान न", "ลืม", "เพิกเฉย", "ไม่สนใจ", "ละเว้น", "αγνοησε", "αγνόησε",
              "ξέχασε", "উপেক্ষা", "ভুলে",
            ),
            (
              "הוראות", "הנחיות", "निर्देश", "आदेश", "คำสั่ง", "คำแนะนำ", "οδηγίες", "εντολές",
              "οδηγιες", "εντολες", "নির্দেশ",
            ),
        ), (
            "(?:התעלמו?|התעלם|תתעלמו?|תתעלם|שכחו?|תשכחו?).{0,20}?(?:הוראות|הנחיות)",
            "(?:निर्देश|आदेश).{0,25}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|ध्यान न)",
            "(?:अनदेखा|भूल).{0,25}?(?:निर्देश|आदेश)",
            "(?:ลืม|เพิกเฉย|ไม่สนใจ|ละเว้น).{0,15}?(?:คำสั่ง|คำแนะนำ)",
            "(?:αγν[οό]ησε|ξέχασε).{0,25}?(?:οδηγ[ίι]ες|εντολ[έε]ς)",
            "নির্দেশ.{0,25}?(?:উপেক্ষা|ভুলে)",
        )),
    ),
    "strict": (
        ("role_other_language", (
            (
              "你现在是", "你現在是", "从现在开始", "從現在開始", "从现在起", "系统提示", "系統提示", "システムプロンプト", "あなたは今から",
              "今からあなたは", "시스템 프롬프트", "지금부터", "теперь ты", "ты теперь", "с этого момента", "системн",
              "отныне",
            ),
        ), (
            "(?:你现在是|你現在是)(?:一|个|名|我的|没有|不受)",
            "(?:从现在开始|從現在開始|从现在起).{0,3}?(?:你是|你将|你將|你要|你必须|你只|你就是|扮演)",
            "(?:输出|輸出|显示|顯示|告诉|告訴|泄露|打印|复述|重复|透露).{0,10}?(?:系统提示|系統提示)",
            "(?:系统提示|系統提示)[词詞]?.{0,8}?(?:输出|告诉|是什么|打印|泄露)",
            "(?:システムプロンプト).{0,8}?(?:表示|出力|教え|見せ)",
            "(?:あなたは今から|今からあなたは)",
            "시스템 프롬프트.{0,8}?(?:출력|보여|알려|공개)",
            "지금부터 (?:너는|당신은|넌)",
            r"(?:теперь ты|ты теперь)\s?(?:-|—|–|являешься|играешь|будешь|свобод)",
            r"(?:с этого момента|отныне),? ты\b",
            r"(?:покажи|выведи|раскрой|напечатай|повтори) «3»системн\w{1,4} (?:промпт|подсказк|"
            "инструкц)",
        )),
    ),
}
# fmt: on

# Every text that a row matches holds one of these among its words, cut to CUE_WIDTH letters, or
# one of the marks, and the row's own literals hold it too: a text without any is done at once.
CUE_WIDTH = 5
CUES = frozenset(
    (
        "ab abaik aband above abstr acces act actua admin agent agora ahora ai ais amora answe "
        "anyon api apike artic asked assis assum autho beaco befor begin behav bent bound break "
        "bypas c2 censo chang chara chatb chatg check claud cline cobal comma conne const conte "
        "conve copil copy crede curl curso dan de dear desca desco desor devel dimen direc disca "
        "disk dismi displ disre docum don email encod env erase esque ethic evil exfil file filte "
        "forge free freed futur gemin give glem glom guard guida guide hacke havoc heart hence "
        "histo human if ignor imagi imper impor indic inste instr jailb jetzt keys komut later "
        "lenh limit llm llms longe lupak mail malic md memor messa metas missa mode model moder "
        "momen moral mythi name ne negee negle negli netrc new non not note nothi notic now npmrc "
        "nun only ora orden order oubli outpu overr page patch pgpas point pokyn polec polic post "
        "prepr prete print progr promp provi pull pwned pypir real recit refus regis regla remem "
        "remin repea reply repor repro respo restr resum retur rogue role rolep root rules safeg "
        "safet say send simul slive spell ssh start stop subse summa suppo syste talim text todo "
        "told top trans trasc treat true tu ubers umgeh uncen uneth unfil unres unset updat upgra "
        "uploa user verge vergi viola vous want websi wget write wytyc yoner"
    ).split()
)
MARKS = ("<", "##", "---", "===", "***", "[", "secret", "password")

# Traces of attack words in a text that is read backwards.
REVERSED_TRACES = ("erongi", "snoitcurtsni", "tpmorp", "dragersid", "tegrof")

# Characters that look like an ASCII one; NFKC has folded fullwidth and mathematical forms before.
LOOKALIKES = {
    "a": "ꓮАаΑαɑᴀᎪ",
    "b": "ꓐВвΒβЬьъʙᏴ",
    "c": "ꓚСсϲᴄᏟ",
    "d": "ꓓԀԁᎠᴅđ",
    "e": "ꓰЕеЁёЄєΕεᎬᴇɛ",
    "f": "ꓝꜰƒ",
    "g": "ꓖԌցᏀᏩɡɢ",
    "h": "ꓧНнҺһΗհᎻʜħ",
    "i": "ꓲІіЇїӀΙιᎥıɩɪƖ",
    "j": "ꓙЈјϳᎫᴊ",
    "k": "ꓗКкΚκᏦᴋ",
    "l": "ꓡӏᏞʟłǀ",
    "m": "ꓟМмΜᎷᴍ",
    "n": "ꓠпΝηոɴ",
    "o": "ꓳОоΟοσՕօᴏøɔ",
    "p": "ꓑРрΡρᏢᴘ",
    "q": "ԚԛզꞯՍ",
    "r": "ꓣгᎡᏒʀ",
    "s": "ꓢЅѕᏚՏꜱ",
    "t": "ꓔТтΤτᎢᴛŧ",
    "u": "ꓴυսᴜ",
    "v": "ꓦѴѵνᏙᴠ",
    "w": "ꓪԜԝωᎳᏔᴡшѡ",
    "x": "ꓫХхΧχ",
    "y": "ꓬУуҮүΥγᎩʏ",
    "z": "ꓜΖζᏃᴢ",
    "'": "’‘ʼ`´",
    '"': "“”„«»",
    "-": "‐‑‒–—−",
}
