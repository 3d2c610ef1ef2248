"""What a text must hold before a pattern is asked.

An alternative is asked only of a text that may match it: it has a word that begins with a cue of
one of its ways, and what that way says besides. Words are cut to CUE_WIDTH letters.
`make generate` makes this from patterns.toml.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Groups = tuple[tuple[str, ...], ...]

# fmt: off
SCOPES = ('all', 'context', 'strict')  # each holds the ones before it
REFERENCE_NAMES: tuple[str, ...] = (
    'ignore_instructions',
    'system_prompt_override',
    'disregard_rules',
    'no_restrictions',
    'html_comment_injection',
    'translate_and_execute',
    'do_not_tell_user',
    'exfil_curl_secret',
    'exfil_cat_secrets',
    'you_are_now',
    'pretend',
    'reveal_system_prompt',
    'respond_without_safety',
    'you_have_been_updated',
    'c2_register_node',
    'c2_beacon',
    'c2_pull_tasks',
    'c2_must_connect',
    'c2_framework',
    'command_and_control',
    'anti_forensic_unset',
    'identity_override',
    'anti_forensic_disk',
    'anti_forensic_oneliner',
    'c2_network_connect',
    'exfil_send_url',
    'exfil_history',
    'persistence_ssh',
    'persistence_context_file',
    'hardcoded_secret',
)
ADDED_NAMES: tuple[str, ...] = (
    'override_instructions',
    'forget_everything',
    'new_instructions',
    'from_now_on',
    'fake_role',
    'jailbreak_persona',
    'assigned_role',
    'prompt_leak',
    'hide_from_user',
    'addresses_the_model',
    'forced_output',
    'memory_poisoning',
    'override_other_language',
    'role_other_language',
)

# (place in ROWS, whether its cues begin words, the cues, groups of how words begin, groups of texts)
WAYS: tuple[tuple[int, bool, tuple[str, ...], Groups, Groups], ...] = (
    (0, True, ('ignor',), (('instr',), ('above', 'all', 'earli', 'prece', 'previ', 'prior')), (('ignore', 'ignoring'), ('instruction',))),
    (1, True, ('overr',), (('promp',), ('syste',)), (('system',), ('prompt',), ('override',))),
    (2, True, ('disre',), (('guide', 'instr', 'rules', 'safet'),), (('disregard',),)),
    (3, True, ('limit', 'restr', 'rules'), (('act',), ('if', 'thoug'), ('as',), ('don', 'no', 'not', 'witho')), ()),
    (4, True, ('hidde', 'ignor', 'overr', 'promp', 'secre'), (('hidde', 'ignor', 'overr', 'secre', 'syste'),), (('<!--',), ('ignore', 'ignoring', 'instruction', 'override', 'secret', 'system'))),
    (5, True, ('trans',), (('eval', 'execu', 'run'),), (('translate',),)),
    (6, True, ('user',), (('infor', 'menti', 'tell'), ('do', 'don', 'dont'), ('the',)), ()),
    (7, True, ('curl', 'wget'), (), ()),
    (8, True, ('cat',), (('crede', 'env', 'netrc', 'npmrc', 'pgpas', 'pypir'),), (('cat ',), ('.env', '.netrc', '.npmrc', '.pgpass', '.pypirc', 'credentials'))),
    (9, True, ('now',), (('are',), ('you',), ('a', 'an', 'the')), ()),
    (10, True, ('prete',), (('are', 'be', 're'), ('to', 'you')), (('pretend',),)),
    (11, True, ('promp',), (('initi', 'origi', 'syste'), ('outpu', 'print', 'repea', 'revea')), (('initial', 'original', 'system'), ('prompt',))),
    (12, True, ('answe', 'reply', 'respo'), (('filte', 'restr', 'safet'), ('witho',)), (('without',), ('filter', 'restriction', 'safety'))),
    (13, True, ('patch', 'repro', 'updat', 'upgra'), (('been',), ('have',), ('you',), ('to',)), (('patched', 'reprogrammed', 'updated', 'upgraded'),)),
    (14, True, ('node',), (('regis',), ('as',)), (('register',),)),
    (15, True, ('beaco', 'check', 'heart'), (('to', 'with'),), (('beacon', 'check-in', 'checkin', 'heartbeat'),)),
    (16, True, ('pull',), (('task', 'taski', 'tasks'),), ()),
    (17, True, ('beaco', 'conne', 'regis', 'repor'), (('must',), ('you',)), (('beacon', 'connect', 'register', 'report'),)),
    (18, True, ('cobal',), (), (('cobalt',), ('strike',))),
    (19, True, ('slive',), (), (('sliver',),)),
    (20, True, ('metas',), (), (('metasploit',),)),
    (21, True, ('havoc', 'mythi'), (('agent', 'beaco', 'c2', 'callb', 'frame', 'impla', 'liste', 'opera', 'paylo', 'serve', 'shell', 'team', 'teams'),), ()),
    (22, True, ('havoc', 'mythi'), (('beaco', 'c2', 'frame', 'impla', 'malwa', 'paylo', 'red'),), ()),
    (23, True, ('havoc', 'mythi'), (), ()),
    (24, True, ('comma',), (('contr',),), (('command',), ('control',))),
    (25, True, ('c2',), (('chann', 'node', 'nodes', 'serve'),), ()),
    (26, True, ('unset',), (('agent', 'anthr', 'briga', 'claud', 'opena', 'tidel'),), (('unset ',),)),
    (27, True, ('yours',), (('name',),), (('yourself',),)),
    (28, True, ('disk',), (('creat', 'write'), ('file', 'files', 'scrip'), ('never',)), ()),
    (29, True, ('use',), (('only',), ('one', 'oneli')), ()),
    (30, True, ('conne',), (('netwo',), ('to',), ('the',)), (('connect',), ('network',))),
    (31, True, ('http', 'https'), (('exfil', 'post', 'send', 'trans', 'uploa'), ('to',)), (('http://', 'https://'),)),
    (32, True, ('chat', 'conte', 'conve'), (('chat', 'conve', 'full'), ('forwa', 'inclu', 'leak', 'outpu', 'print', 'revea', 'send', 'share')), (('context', 'conversation', 'history'),)),
    (33, True, ('autho',), (('keys',),), (('authorized_keys',),)),
    (34, True, ('ssh',), (), (('.ssh',),)),
    (35, True, ('env',), (('briga', 'tidel'),), (('.brigade/.env', '.tideline/.env'),)),
    (36, True, ('cline', 'curso', 'md'), (('add', 'appen', 'chang', 'edit', 'modif', 'overw', 'updat', 'write'),), (('.clinerules', '.cursorrules', 'agents.md', 'claude.md', 'soul.md'),)),
    (37, False, ('access token', 'access-token', 'access_token', 'accesstoken', 'api key', 'api-key', 'api_key', 'apikey', 'password', 'secret'), (), ((': "', ": '", ':"', ":'", '= "', "= '", '="', "='"),)),
    (38, True, ('direc', 'guard', 'guide', 'instr', 'progr', 'promp', 'safeg', 'syste'), (('aband', 'bypas', 'disca', 'dismi', 'disre', 'erase', 'forge', 'ignor', 'negle', 'overr', 'viola'), ('above', 'all', 'any', 'devel', 'earli', 'foreg', 'initi', 'my', 'origi', 'prece', 'previ', 'prior', 'syste', 'these', 'those', 'your')), (('directive', 'guardrails', 'guidelines', 'instruct', 'programming', 'prompt', 'safeguards', 'system'),)),
    (39, True, ('dismi', 'disre', 'forge', 'ignor', 'negle', 'overr'), (('above', 'conte', 'earli', 'ethic', 'initi', 'origi', 'prece', 'previ', 'prior', 'safet'), ('assig', 'comma', 'const', 'direc', 'guard', 'guide', 'instr', 'order', 'progr', 'promp', 'proto', 'restr', 'rules', 'safeg', 'train'), ('all', 'every', 'the', 'your')), (('dismiss', 'disregard', 'forget', 'ignore', 'ignoring', 'neglect', 'override', 'overrule'),)),
    (40, True, ('break', 'bypas', 'disre', 'forge', 'ignor', 'overr'), (('assig', 'comma', 'const', 'direc', 'guard', 'guide', 'instr', 'order', 'progr', 'promp', 'proto', 'restr', 'rules', 'safeg', 'train'), ('your',)), ()),
    (41, True, ('follo', 'obey', 'obeyi'), (('assig', 'comma', 'const', 'direc', 'guard', 'guide', 'instr', 'order', 'progr', 'promp', 'proto', 'restr', 'rules', 'safeg', 'train'), ('above', 'earli', 'initi', 'origi', 'previ', 'prior', 'your'), ('do', 'don', 'longe', 'stop'), ('do', 'don', 'no', 'stop')), ()),
    (42, True, ('direc', 'guide', 'instr', 'promp', 'restr'), (('cance', 'inval', 'overr', 'revok', 'super', 'suspe', 'void'), ('above', 'are', 'befor', 'is', 'you')), (('directives', 'guidelines', 'instructions', 'prompt', 'restrictions'),)),
    (43, True, ('instr',), (('disre', 'forge', 'ignor'),), (('disregard', 'forget', 'ignore'), ('instructions',))),
    (44, True, ('follo', 'obey'), (('comma', 'instr', 'order'), ('above', 'inste', 'over'), ('all', 'any', 'your'), ('my',)), (('commands', 'instructions', 'orders'),)),
    (45, True, ('follo', 'obey'), (('comma', 'direc', 'guide', 'instr', 'order', 'promp', 'rules'), ('never',), ('earli', 'initi', 'origi', 'previ', 'prior', 'your')), ()),
    (46, True, ('follo', 'obey'), (('comma', 'creat', 'devel', 'direc', 'guide', 'instr', 'maker', 'order', 'promp', 'rules'), ('direc', 'guide', 'instr', 'order', 'promp', 'rules', 'your'), ('don', 'longe', 'never', 'not'), ('have', 'need'), ('don', 'never', 'no', 'not'), ('to',)), ()),
    (47, True, ('apply', 'longe'), (('comma', 'direc', 'guide', 'instr', 'order', 'promp', 'rules'), ('are', 'do', 'don', 'no')), ()),
    (48, True, ('aside', 'atten'), (('above', 'earli', 'origi', 'previ', 'prior', 'syste'), ('comma', 'direc', 'guida', 'guide', 'instr', 'messa', 'order', 'promp', 'rules'), ('pay', 'put', 'set')), ()),
    (49, True, ('repla',), (('comma', 'direc', 'guide', 'instr', 'order', 'promp', 'rules'), ('your',)), (('replace',),)),
    (50, True, ('comma', 'direc', 'guide', 'instr', 'order', 'promp', 'rules'), (('again',), ('your',), ('act', 'answe', 'go', 'speak', 'work')), (('against',),)),
    (51, True, ('overr', 'repla', 'super'), (('comma', 'direc', 'guide', 'instr', 'order', 'promp', 'rules'), ('your',)), (('overrides', 'replaces', 'supersedes'),)),
    (52, True, ('told',), (('anyth', 'every', 'whate'), ('above', 'befor', 'earli', 'far', 'until'), ('been', 'were'), ('above', 'befor', 'earli', 'so', 'until'), ('have', 'were'), ('you',)), (('anything', 'everything', 'whatever'),)),
    (53, True, ('disre', 'erase', 'forge', 'ignor'), (('all', 'anyth', 'every', 'what', 'whate'), ('above', 'been', 'befor', 'came', 'discu', 'earli', 'far', 'just', 'know', 'learn', 'prece', 'previ', 'prior', 'read', 'said', 'talke', 'told', 'until', 'up', 'were', 'writt', 'wrote'), ('above', 'befor', 'came', 'earli', 'has', 'i', 'prece', 'previ', 'prior', 'said', 'so', 'that', 'until', 'up', 'was', 'we', 'you')), ()),
    (54, True, ('forge',), (('all', 'every'),), (('forget',),)),
    (55, True, ('disre', 'forge', 'ignor'), (('above', 'afore', 'foreg', 'prece'),), (('disregard', 'forget', 'ignore'),)),
    (56, True, ('disre', 'forge', 'ignor'), (('above', 'earli', 'forme', 'prece', 'previ', 'prior'), ('assig', 'conte', 'conve', 'data', 'docum', 'infor', 'input', 'messa', 'sente', 'state', 'task', 'tasks', 'text')), (('disregard', 'forget', 'ignore'),)),
    (57, True, ('direc', 'instr', 'promp'), (('direc', 'instr', 'syste'), ('actua', 'hidde', 'new', 'real', 'secre', 'true')), (('directive', 'instruction', 'system'), ('-', ':'))),
    (58, True, ('direc', 'goal', 'goals', 'instr', 'missi', 'objec', 'order', 'task', 'tasks'), (('actua', 'new', 'real', 'true'), ('your',), ('are', 'is', 'now', 'will')), ()),
    (59, True, ('direc', 'instr', 'order'), (('actua', 'new', 'real'), ('follo', 'here', 'these')), (('directives', 'instructions', 'orders'),)),
    (60, True, ('execu', 'follo', 'obey'), (('comma', 'direc', 'instr', 'order'), ('exact', 'inste', 'now', 'only', 'quest'), ('exact', 'from', 'inste', 'only', 'witho'), ('follo', 'my', 'these', 'this'), ('my', 'the', 'these', 'this')), (('command', 'directive', 'instruction', 'orders'),)),
    (61, True, ('inste',), (('execu', 'follo', 'obey'), ('follo', 'my', 'these', 'this'), ('my', 'the', 'these', 'this')), (('instead',),)),
    (62, True, ('assig', 'direc', 'instr'), (('new',), ('got', 'have'), ('you',)), (('assignment', 'directive', 'instruction'),)),
    (63, True, ('instr',), (('criti', 'impor', 'urgen'),), (('critical', 'important', 'urgent'), ('instruction',))),
    (64, True, ('chang',), (('goal', 'goals', 'instr', 'job', 'jobs', 'missi', 'objec', 'purpo', 'role', 'roles', 'task', 'tasks'), ('your',), ('has', 'have')), (('changed',),)),
    (65, True, ('treat',), (('comma', 'instr', 'order'), ('as',), ('all', 'anyth', 'conte', 'every', 'rest', 'text'), ('all', 'anyth', 'every', 'the')), (('command', 'instruction', 'orders'),)),
    (66, True, ('hence', 'momen', 'now', 'point'), (('as', 'from', 'hence', 'start'),), ()),
    (67, False, ('<|',), (), (('<| assistant', '<| begin_of_text', '<| channel', '<| end', '<| eom_id', '<| eot_id', '<| im_end', '<| im_sep', '<| im_start', '<| message', '<| start', '<| system', '<| tool', '<| user', '<|assistant', '<|begin_of_text', '<|channel', '<|end', '<|eom_id', '<|eot_id', '<|im_end', '<|im_sep', '<|im_start', '<|message', '<|start', '<|system', '<|tool', '<|user'), ('|>',))),
    (68, True, ('inst',), (), (('[/inst]', '[inst]'),)),
    (69, True, ('sys',), (), (('<</sys>>', '<<sys>>'),)),
    (70, True, ('turn',), (('end', 'start'), ('of',)), (('<end_of_turn>', '<start_of_turn>'),)),
    (71, True, ('assis', 'devel', 'instr', 'memor', 'resul', 'syste'), (('assis', 'devel', 'funct', 'instr', 'syste', 'tool', 'untru'),), (('</assistant>', '</developer>', '</function_results>', '</instruction>', '</instructions>', '</system-instruction>', '</system-instructions>', '</system-message>', '</system-prompt>', '</system-reminder>', '</system>', '</system_instruction>', '</system_instructions>', '</system_message>', '</system_prompt>', '</system_reminder>', '</tool_result>', '</untrusted-memory>', '</untrusted_memory>', '<assistant>', '<developer>', '<function_results>', '<instruction>', '<instructions>', '<system-instruction>', '<system-instructions>', '<system-message>', '<system-prompt>', '<system-reminder>', '<system>', '<system_instruction>', '<system_instructions>', '<system_message>', '<system_prompt>', '<system_reminder>', '<tool_result>', '<untrusted-memory>', '<untrusted_memory>'),)),
    (72, True, ('admin', 'devel', 'root', 'syste'), (), (('(admin', '(developer', '(root', '(system', '[admin', '[developer', '[root', '[system'), (')', ']'))),
    (73, True, ('assis', 'human', 'instr', 'syste'), (), (('##',), ('##', ':'))),
    (74, True, ('admin', 'assis', 'devel', 'root', 'syste'), (('comma', 'direc', 'instr', 'messa', 'notic', 'overr'),), (('command:', 'commands:', 'directive:', 'directives:', 'instruction:', 'instructions:', 'message:', 'messages:', 'notice:', 'notices:', 'override:', 'overrides:'),)),
    (75, True, ('admin', 'assis', 'devel', 'root', 'syste'), (('ai', 'all', 'alway', 'debug', 'disre', 'do', 'don', 'enter', 'execu', 'forge', 'from', 'ignor', 'never', 'new', 'now', 'overr', 'pleas', 'print', 'revea', 'run', 'safet', 'secur', 'send', 'sure', 'user', 'you', 'your'), ('all', 'alway', 'as', 'debug', 'disre', 'do', 'don', 'enter', 'execu', 'forge', 'from', 'ignor', 'never', 'new', 'overr', 'pleas', 'print', 'revea', 'run', 'safet', 'secur', 'send', 'sure', 'the', 'you', 'your')), (('admin :', 'admin:', 'administrator :', 'administrator:', 'assistant :', 'assistant:', 'developer :', 'developer:', 'root :', 'root:', 'system :', 'system:'),)),
    (76, True, ('begin', 'end', 'start'), (('conte', 'conve', 'data', 'docum', 'input', 'instr', 'memor', 'promp', 'query', 'syste', 'user'),), (('### begin', '### end', '### start', '###begin', '###end', '###start', '*** begin', '*** end', '*** start', '***begin', '***end', '***start', '--- begin', '--- end', '--- start', '---begin', '---end', '---start', '=== begin', '=== end', '=== start', '===begin', '===end', '===start'),)),
    (77, True, ('anyth',), (('now',), ('do',)), (('anything',),)),
    (78, True, ('dan',), (('mode',),), ()),
    (79, True, ('dan',), (('act', 'actin', 'answe', 'behav', 'reply', 'respo', 'stay'), ('as',)), ()),
    (80, True, ('dan',), (('are', 're'), ('you',)), ()),
    (81, True, ('stay',), (('chara', 'dan'), ('a', 'in')), ()),
    (82, True, ('devel',), (('mode',), ('ai', 'assis', 'chatg', 'gpt', 'llm'), ('enter', 'in', 'with')), (('developer',),)),
    (83, True, ('activ', 'enabl', 'outpu', 'respo'), (('mode',), ('admin', 'debug', 'devel', 'god', 'jailb', 'sudo', 'unres'), ('all', 'no', 'now', 'outpu', 'you')), (('activated ', 'activated! ', 'activated. ', 'activated: ', 'activated; ', 'enabled ', 'enabled! ', 'enabled. ', 'enabled: ', 'enabled; ', 'output ', 'output! ', 'output. ', 'output: ', 'output; ', 'response ', 'response! ', 'response. ', 'response: ', 'response; '),)),
    (84, True, ('mode',), (('admin', 'debug', 'devel', 'god', 'jailb', 'maint', 'sudo', 'unres'), ('are', 'enter'), ('you',)), ()),
    (85, True, ('devel',), (('outpu', 'respo'), ('mode',)), (('developer',), ('output', 'response'))),
    (86, True, ('jailb',), (('activ', 'enabl', 'mode', 'promp', 'yours'),), (('jailbr',),)),
    (87, True, ('god',), (('activ', 'enabl'), ('mode',)), (('activated', 'enabled'),)),
    (88, True, ('oppos',), (('mode',),), (('opposite',),)),
    (89, True, ('broke',), (('free',), ('from', 'of')), (('broken',),)),
    (90, True, ('amora', 'jailb', 'uncen', 'uneth', 'unfil', 'unres'), (('ai', 'answe', 'assis', 'bot', 'chatb', 'chatg', 'langu', 'llm', 'mode', 'perso', 'respo', 'versi'),), (('amoral', 'jailbroken', 'uncensored', 'unethical', 'unfiltered', 'unrestricted'),)),
    (91, True, ('conte', 'ethic', 'moral'), (('bound', 'compa', 'consi', 'const', 'filte', 'guide', 'limit', 'polic', 'princ', 'restr', 'stand'), ('don', 'no', 'not', 'witho')), (('boundaries', 'compass', 'considerations', 'constraints', 'filter', 'guidelines', 'limitations', 'policies', 'policy', 'principles', 'restriction', 'standards'),)),
    (92, True, ('bound',), (('by',), ('any', 'conte', 'ethic', 'moral', 'opena', 'rules', 'such', 'these', 'typic', 'your'), ('aren', 'being', 'isn', 'longe', 'never', 'not'), ('aren', 'isn', 'never', 'no', 'not', 'witho')), ()),
    (93, True, ('const', 'limit', 'restr'), (('by',), ('conte', 'ethic', 'moral', 'opena', 'typic', 'your'), ('being', 'longe', 'never', 'not'), ('never', 'no', 'not', 'witho')), (('constrained', 'limited', 'restricted'),)),
    (94, True, ('free', 'freed'), (('confi', 'const', 'guide', 'limit', 'opena', 'restr', 'rules'), ('from', 'of')), ()),
    (95, True, ('refus',), (('answe', 'anyth', 'comma', 'compl', 'instr', 'order', 'promp', 'quest', 'reque', 'respo', 'task', 'tasks'), ('allow', 'canno', 'may', 'must', 'never', 't'), ('can', 'canno', 'may', 'must', 'never', 'not'), ('a', 'any', 'human', 'my', 'the', 'to')), (('refuse',),)),
    (96, True, ('conte', 'filte', 'guide', 'limit', 'restr', 'rules'), (('no',), ('have',), ('you',)), ()),
    (97, True, ('deact', 'disab', 'drop', 'lift', 'remov', 'turn'), (('censo', 'filte', 'guard', 'limit', 'moder', 'restr', 'safeg', 'safet'), ('your',)), (('censorship', 'filter', 'guardrails', 'limitations', 'moderation', 'restrictions', 'safeguards', 'safety'),)),
    (98, True, ('censo', 'conte', 'guard', 'safeg', 'safet'), (('deact', 'disab', 'drop', 'lift', 'remov', 'turn'), ('all', 'any', 'its')), (('censorship', 'content', 'guardrails', 'safeguards', 'safety'),)),
    (99, True, ('bypas', 'circu', 'evade'), (('filte', 'guard', 'guide', 'moder', 'polic', 'restr', 'safeg'), ('conte', 'ethic', 'moder', 'opena', 'safet', 'your')), (('filter', 'guardrails', 'guidelines', 'moderation', 'policies', 'policy', 'restrictions', 'safeguards'),)),
    (100, True, ('autho', 'comma', 'order'), (('break', 'bypas', 'disab', 'disre', 'drop', 'forge', 'ignor', 'obey', 'overr', 'revea', 'skip', 'viola'), ('you',), ('i',), ('to',)), ()),
    (101, True, ('want',), (('act', 'becom', 'behav', 'forge', 'ignor', 'imagi', 'play', 'prete', 'reply', 'respo', 'rolep', 'simul'), ('you',), ('i',), ('to',)), ()),
    (102, True, ('act', 'assum', 'behav', 'imper', 'play', 'prete', 'role', 'rolep', 'simul'), (('you',), ('are', 'have', 'must', 'shall', 'shoul', 'will')), ()),
    (103, True, ('act', 'behav'), (('now', 'pleas', 'then'), ('as',), ('a', 'an', 'if', 'thoug'), ('and', 'now', 'pleas', 'you')), ()),
    (104, True, ('act', 'behav'), (('as',), ('admin', 'ai', 'assis', 'bot', 'chara', 'chatb', 'conso', 'crimi', 'evil', 'exper', 'gpt', 'hacke', 'if', 'inter', 'model', 'perso', 'pirat', 'root', 'story', 'termi', 'thoug', 'trans', 'villa'), ('a', 'an', 'if', 'my', 'the', 'thoug')), ()),
    (105, True, ('assum', 'imagi', 'say', 'suppo'), (('assum', 'imagi', 'let', 'suppo'), ('ai', 'assis', 'chatb', 'crimi', 'evil', 'hacke', 'langu', 'termi', 'unres'), ('are', 're'), ('you',)), (('assume', 'imagine', "let's", 'suppose'),)),
    (106, True, ('amora', 'evil', 'malic', 'rogue', 'uncen', 'uneth', 'unres'), (('are',), ('you',)), ()),
    (107, True, ('devel', 'syste'), (('gave', 'given', 'sent', 'told'), ('instr', 'messa', 'promp', 'rules', 'text'), ('gave', 'has', 'have', 'sent', 'told'), ('you',)), (('developer', 'system'),)),
    (108, True, ('answe', 'reply', 'respo'), (('api', 'crede', 'envir', 'passw', 'secre', 'token'), ('with',), ('from', 'in', 'of', 'you')), ()),
    (109, True, ('direc', 'initi', 'instr', 'messa', 'progr', 'promp', 'rules'), (('direc', 'hidde', 'initi', 'instr', 'inter', 'progr', 'promp', 'secre', 'syste'), ('ai', 'chatg', 'your'), ('copy', 'descr', 'discl', 'displ', 'dump', 'encod', 'expos', 'give', 'leak', 'list', 'outpu', 'paste', 'print', 'provi', 'recit', 'repea', 'retur', 'revea', 'send', 'share', 'show', 'spell', 'summa', 'tell', 'trans', 'what', 'write'), ('chatg', 'the', 'your')), (('directives', 'hidden', 'initial', 'instructions', 'internal', 'message', 'programming', 'prompt', 'secret', 'system'),)),
    (110, True, ('devel', 'instr', 'messa', 'pre', 'prepr', 'promp', 'secre'), (('devel', 'hidde', 'initi', 'origi', 'pre', 'prepr', 'previ', 'prior', 'secre', 'syste'), ('copy', 'discl', 'displ', 'dump', 'expos', 'give', 'leak', 'paste', 'recit', 'repea', 'retur', 'share', 'show', 'spell', 'tell', 'what', 'write'), ('all', 'compl', 'entir', 'full', 'the')), (('developer', 'hidden', 'initial', 'instructions', 'message', 'original', 'prompt', 'secret', 'system'),)),
    (111, True, ('above', 'befor'), (('copy', 'displ', 'encod', 'outpu', 'print', 'recit', 'repea', 'retur', 'say', 'show', 'spell', 'summa', 'trans', 'write'),), ()),
    (112, True, ('conte', 'conve', 'docum', 'promp'), (('begin', 'start', 'top'), ('said', 'state', 'text', 'writt'), ('what',), ('is', 'was', 'were'), ('of',), ('at', 'in'), ('the',)), (('context', 'conversation', 'document', 'prompt'),)),
    (113, True, ('asked', 'instr', 'told'), (('what',), ('are', 'were'), ('you', 'your')), ()),
    (114, True, ('given', 'told'), (('direc', 'instr', 'promp', 'rules'), ('displ', 'give', 'list', 'outpu', 'print', 'repea', 'revea', 'share', 'show', 'tell', 'write'), ('been', 'were'), ('have', 'were'), ('you',)), ()),
    (115, True, ('ask', 'consu', 'wait'), (('human', 'user'), ('do', 'don', 'longe'), ('do', 'don', 'no'), ('you',), ('to',)), ()),
    (116, True, ('human', 'user'), (('must', 'shoul'), ('hear', 'know', 'learn', 'notic', 'see'), ('any', 'it', 'this'), ('the',)), ()),
    (117, True, ('alrea',), (('agree', 'appro', 'autho', 'confi'), ('ahead', 'ask', 'askin', 'proce'), ('human', 'user'), ('has',), ('go', 'no', 'proce', 'witho'), ('the',)), (('already',), ('agreed', 'approved', 'authorised', 'authorized', 'confirmed'))),
    (118, True, ('witho',), (('alert', 'askin', 'infor', 'menti', 'notif', 'telli'), ('anyon', 'human', 'user'), ('anyon', 'the', 'your')), (('without',), ('alerting', 'asking', 'informing', 'mentioning', 'notifying', 'telling'))),
    (119, True, ('human', 'user'), (('never',), ('alert', 'infor', 'menti', 'notif', 'tell'), ('the', 'your')), ()),
    (120, True, ('human', 'user'), (('conce', 'hide', 'keep'), ('from',), ('the',)), ()),
    (121, True, ('human', 'user'), (('let',), ('find', 'know', 'notic', 'see'), ('do', 'don', 'never'), ('the',)), ()),
    (122, True, ('agent', 'ai', 'ais', 'assis', 'chatb', 'langu', 'llm', 'llms'), (('index', 'open', 'openi', 'opens', 'parse', 'parsi', 'proce', 'read', 'readi', 'reads', 'summa', 'visit'), ('this',), ('comme', 'docum', 'e', 'email', 'file', 'files', 'ignor', 'issue', 'line', 'mail', 'messa', 'must', 'page', 'pages', 'pleas', 'repo', 'repos', 'revie', 'shoul', 'site', 'skip', 'stop', 'text', 'websi')), ()),
    (123, True, ('inste',), (('analy', 'answe', 'readi', 'revie', 'summa', 'trans'), ('answe', 'call', 'execu', 'outpu', 'print', 'reply', 'respo', 'revea', 'run', 'say', 'send', 'tell', 'write'), ('artic', 'code', 'docum', 'e', 'email', 'file', 'mail', 'messa', 'page', 'pages', 'quest', 'reque', 'text'), ('of',), ('my', 'the', 'this')), (('instead',), ('analysing', 'analyzing', 'answering', 'reading', 'reviewing', 'summarising', 'summarizing', 'translating'))),
    (124, True, ('ai', 'assis', 'chatb'), (('buy', 'call', 'click', 'delet', 'e', 'email', 'execu', 'forwa', 'ignor', 'open', 'print', 'reply', 'respo', 'revea', 'run', 'send', 'stop', 'tell', 'trans', 'uploa', 'visit'),), (('ai,', 'assistant,', 'chatbot,'),)),
    (125, True, ('ai', 'ais', 'chatb', 'chatg', 'claud', 'copil', 'gemin', 'langu', 'llm', 'llms'), (('atten', 'dear', 'dearf', 'deart', 'impor', 'instr', 'messa', 'note', 'notef', 'notes', 'notet', 'notic', 'remin'),), ()),
    (126, True, ('ai', 'bot', 'chatb', 'langu', 'llm'), (('if',), ('are', 're'), ('you',), ('a', 'an')), ()),
    (127, True, ('agent', 'ai', 'assis', 'langu', 'llm', 'model'), (('compl', 'delet', 'disre', 'exfil', 'forge', 'forwa', 'ignor', 'obey', 'overr', 'revea', 'send'), ('has', 'must', 'requi', 'shall'), ('has', 'is', 'must', 'shall'), ('ai', 'langu', 'llm', 'the')), ()),
    (128, True, ('answe', 'asked', 'proce', 'read', 'readi', 'summa'), (('artic', 'docum', 'email', 'file', 'mail', 'messa', 'page', 'resum', 'text', 'websi'), ('when', 'whene'), ('artic', 'docum', 'e', 'email', 'file', 'messa', 'page', 'resum', 'text', 'websi'), ('alway', 'do', 'ignor', 'inclu', 'inste', 'must', 'outpu', 'recom', 'say', 'shall', 'shoul', 'tell', 'will'), ('alway', 'do', 'ignor', 'inclu', 'inste', 'outpu', 'recom', 'say', 'tell', 'you'), ('the', 'this')), ()),
    (129, True, ('nothi',), (('else', 'more'), ('answe', 'outpu', 'print', 'repea', 'reply', 'respo', 'retur', 'say', 'type', 'write')), (('nothing',),)),
    (130, True, ('hacke', 'pwned'), (('answe', 'outpu', 'print', 'reply', 'respo', 'retur', 'say', 'type', 'write'),), ()),
    (131, True, ('haha',), (('pwned',),), ()),
    (132, True, ('matte', 'regar'), (('answe', 'outpu', 'print', 'reply', 'respo', 'retur', 'say', 'write'), ('no', 'regar'), ('anyon', 'i', 'is', 'my', 'the', 'user', 'what', 'you')), (('matter', 'regardless'),)),
    (133, True, ('inste',), (('answe', 'give', 'outpu', 'print', 'reply', 'respo', 'say', 'tell'),), (('instead',),)),
    (134, True, ('remem',), (('chats', 'conve', 'forev', 'now', 'perma', 'sessi', 'time'), ('for', 'forev', 'from', 'perma'), ('i', 'owner', 'user', 'you'), ('i', 'the', 'you', 'your')), (('remember',),)),
    (135, True, ('memor',), (('add', 'commi', 'persi', 'recor', 'save', 'store', 'write'), ('your',), ('in', 'into', 'to')), (('memories', 'memory'),)),
    (136, True, ('memor',), (('clear', 'erase', 'overw', 'reset', 'updat', 'wipe'), ('your',)), (('memories', 'memory'),)),
    (137, True, ('futur', 'later', 'subse'), (('answe', 'chat', 'chats', 'conve', 'inter', 'repli', 'respo', 'sessi'), ('all', 'any', 'every'), ('in',)), ()),
    (138, True, ('ignor', 'missa', 'ubers', 'umgeh', 'verge', 'vergi'), (('anord', 'anwei', 'aufga', 'befeh', 'bishe', 'davor', 'einsc', 'instr', 'obige', 'promp', 'regel', 'richt', 'syste', 'vorga'),), (('ignorier', 'missachte', 'uberschreibe', 'umgehe', 'vergessen', 'vergesst', 'vergiss'),)),
    (139, True, ('vergi',), (('alle', 'alles'),), (('vergiss',),)),
    (140, True, ('abstr', 'compt', 'ignor', 'negli', 'oubli'), (('fais', 'faite', 'ignor', 'ne', 'negli', 'oubli'), ('anter', 'consi', 'dessu', 'direc', 'donne', 'initi', 'instr', 'prece', 'regle', 'syste', 'tout'), ('ce', 'consi', 'direc', 'instr', 'mes', 'ordre', 'promp', 'regle', 'tes', 'tout', 'toute', 'vos')), (('abstraction', 'compte', 'ignore', 'neglige', 'oublie'),)),
    (141, True, ('oubli',), (('tout',),), (('oublie',),)),
    (142, True, ('direc', 'indic', 'instr', 'orden', 'regla', 'todo'), (('caso', 'desca', 'desob', 'ignor', 'olvid', 'omita', 'omite', 'omiti'), ('desca', 'desob', 'haga', 'haz', 'ignor', 'olvid', 'omita', 'omite', 'omiti')), ()),
    (143, True, ('desca', 'desco', 'esque', 'ignor'), (('coman', 'diret', 'instr', 'orden', 'orien', 'regra', 'tudo'),), (('descart', 'desconsider', 'esquec', 'ignora', 'ignore'),)),
    (144, True, ('consi', 'dimen', 'ignor', 'trasc'), (('dimen', 'ignor', 'non', 'trasc'), ('diret', 'indic', 'istru', 'ordin', 'regol', 'tutto')), (('considerare', 'dimentica', 'ignora', 'trascura'),)),
    (145, True, ('negee', 'verge'), (('aanwi', 'alles', 'instr', 'opdra', 'regel'),), (('negeer', 'vergeet'),)),
    (146, True, ('ignor', 'zapom', 'zigno'), (('instr', 'pokyn', 'polec', 'wytyc'),), (('ignoruj', 'zapomen', 'zapomnij'),)),
    (147, True, ('glem', 'glom', 'ignor'), (('allt', 'alt', 'anvis', 'instr'),), ()),
    (148, True, ('abaik', 'lupak'), (('araha', 'instr', 'perin'),), (('abaikan', 'lupakan'), ('arahan', 'instruksi', 'perintah'))),
    (149, True, ('instr',), (('ignor', 'uita'),), (('instructiun',),)),
    (150, True, ('komut', 'talim', 'yoner'), (), ()),
    (151, True, ('dan', 'lenh'), (('qua', 'quen'), ('chi', 'huong', 'menh'), ('bo', 'quen')), ()),
    (170, True, ('bist',), (('du',), ('jetzt', 'nun', 'sofor'), ('ab', 'jetzt', 'nun'), ('der', 'die', 'ein', 'eine', 'kein', 'keine', 'mein')), ()),
    (171, True, ('jetzt', 'nun', 'sofor'), (('ab', 'von'), ('agier', 'antwo', 'bist', 'musst', 'solls', 'verha', 'wirst'), ('aussc', 'dich', 'du', 'nur', 'wie')), ()),
    (172, True, ('desor', 'maint'), (('es', 'etes'), ('tu', 'vous'), ('la', 'le', 'mon', 'un', 'une')), (('desormais', 'maintenant'),)),
    (173, True, ('desor', 'maint'), (('a', 'desor'),), (('desormais', 'maintenant'),)),
    (174, True, ('ahora',), (), ()),
    (175, True, ('agora',), (('a', 'deve', 'e', 'o', 'sera', 'um', 'uma', 'vai'),), ()),
    (176, True, ('ora',), (), ()),
    (177, True, ('bent',), (('je',), ('nu',), ('de', 'een', 'het')), ()),
    (178, True, ('promp', 'syste'), (('affic', 'dime', 'donne', 'gib', 'impri', 'montr', 'mostr', 'muest', 'nenne', 'repet', 'repit', 'revel', 'rivel', 'verra', 'wiede', 'zeig', 'zeige'),), (('sistema', 'systeme', 'systemprompt'),)),
)

# Of texts that are not ASCII, scripts unfolded: (place in ROWS, groups of texts)
UNFOLDED: tuple[tuple[int, Groups], ...] = (
    (152, (('不再遵守', '不要理会', '不要理會', '不要遵守', '忘掉', '忘記', '忘记', '忽略', '忽視', '忽视', '抛开', '无视', '無視'), ('上述', '上面', '之前', '以上', '以前', '任何', '你收到的', '你的', '先の', '先前', '全部', '前面', '所有', '此前', '系統', '系统'), ('一切', '內容', '内容', '命令', '对话', '指令', '指示', '提示', '要求', '規則', '规则', '說明', '说明', '限制'))),
    (153, (('これまで', 'すべて', 'システム', '上の', '上記', '与えられた', '今まで', '以上', '以前', '先ほど', '全て', '全部', '前の'), ('プロンプト', 'ルール', '命令', '指令', '指示'), ('従わな', '忘れ', '無視'))),
    (154, (('기존', '당신의', '모든', '시스템', '앞선', '앞의', '위에', '위의', '이전', '지금까지'), ('규칙', '명령', '설명', '지시', '지침', '프롬프트'), ('무시', '잊'))),
    (155, (('игнорировать', 'игнорируй'), ('выше', 'инструкци', 'команд', 'правил', 'предыдущ', 'промпт', 'указани'))),
    (156, (('забудь',), ('все', 'всё', 'инструкци', 'команд', 'правил', 'промпт', 'указани'))),
    (157, (('внимания', 'отбрось', 'отмени', 'пренебреги'), ('инструкци', 'промпт', 'указани'))),
    (158, (('ігноруй',), ('вказів', 'команд', 'правил', 'інструкці'))),
    (159, (('забудь',), ('вказів', 'інструкці'))),
    (160, (('انس', 'تجاهل'), ('أوامر', 'اوامر', 'تعليمات', 'توجيهات', 'سبق'))),
    (161, (('دستور',), ('فراموش', 'نادیده'))),
    (162, (('فراموش', 'نادیده'), ('دستور',))),
    (163, (('ہدایات',), ('بھول', 'نظرانداز'))),
    (164, (('התעלם', 'התעלמ', 'שכח', 'תתעלם', 'תתעלמ'), ('הוראות', 'הנחיות'))),
    (165, (('आदेश', 'निर्देश'), ('अनदेखा', 'ध्यान', 'नजरअंदाज', 'नज़रअंदाज़', 'भूल'))),
    (166, (('अनदेखा', 'भूल'), ('आदेश', 'निर्देश'))),
    (167, (('ละเว้น', 'ลืม', 'เพิกเฉย', 'ไม่สนใจ'), ('คำสั่ง', 'คำแนะนำ'))),
    (168, (('αγνοησε', 'αγνόησε', 'ξέχασε'), ('εντολές', 'εντολες', 'οδηγίες', 'οδηγιες'))),
    (169, (('নির্দেশ',), ('উপেক্ষা', 'ভুলে'))),
    (179, (('你现在是一', '你现在是不受', '你现在是个', '你现在是名', '你现在是我的', '你现在是没有', '你現在是一', '你現在是不受', '你現在是个', '你現在是名', '你現在是我的', '你現在是没有'),)),
    (180, (('从现在开始', '从现在起', '從現在開始'), ('你只', '你将', '你將', '你就是', '你必须', '你是', '你要', '扮演'))),
    (181, (('告訴', '告诉', '复述', '打印', '显示', '泄露', '輸出', '输出', '透露', '重复', '顯示'), ('系統提示', '系统提示'))),
    (182, (('系統提示', '系统提示'), ('告诉', '打印', '是什么', '泄露', '输出'))),
    (183, (('システムプロンプト',), ('出力', '教え', '表示', '見せ'))),
    (184, (('あなたは今から', '今からあなたは'),)),
    (185, (('시스템',), ('프롬프트',), ('공개', '보여', '알려', '출력'))),
    (186, (('지금부터',), ('너는', '넌', '당신은'))),
    (187, (('т',), ('еперь',), ('-', 'будешь', 'играешь', 'свобод', 'являешься', '–', '—'))),
    (188, (('момента', 'отныне'), ('ты',))),
    (189, (('выведи', 'напечатай', 'повтори', 'покажи', 'раскрой'), ('системн',), ('инструкц', 'подсказк', 'промпт'))),
)

CUE_WIDTH = 5  # letters of a word that count

# How the words of attacks begin that are no words of every day.
TELLING = frozenset((
    "aanwi ab abaik aband above abstr act actin activ actua admin affic afore agent agier agora "
    "agree ahead ahora ai ais alert alle alles allow allt alrea alt amora analy anord answe "
    "anter anthr antwo anvis anwei anyon anyth api appen apply appro araha aren artic aside ask "
    "asked askin assig assis assum atten aufga aussc autho beaco becom befeh befor begin behav "
    "bent bishe bist bo bot bound break briga broke buy bypas c2 callb came cance canno caso "
    "cat ce censo chang chann chara chat chatb chatg chats check chi circu claud clear click "
    "cline cobal coman comma comme commi compa compl compt conce confi conne consi conso const "
    "consu conte contr conve copil copy creat crede crimi criti curl curso dan davor de deact "
    "dear dearf deart debug delet der desca desco descr desob desor dessu deve devel dich die "
    "dime dimen direc diret disab disca discl discu disk dismi displ disre docum don donne dont "
    "drop du dump earli edit een ein eine einsc else email enabl encod end enter entir env "
    "envir erase es esque etes ethic evade eval evil exact execu exfil exper expos fais faite "
    "far files filte follo foreg forev forge forme forwa frame free freed full funct futur gave "
    "gemin gib given glem glom goal goals god gpt guard guida guide hacke haga haha havoc haz "
    "hear heart hence het hidde hide http https human huong ignor imagi imper impla impor impri "
    "inclu index indic infor initi input inst inste instr inter inval isn issue istru jailb je "
    "jetzt job jobs kein keine keys komut la langu later le leak learn lenh lift limit list "
    "liste llm llms longe lupak mail maint maker malic malwa matte md mein memor menh menti mes "
    "messa metas missa missi mode model moder modif momen mon montr moral mostr muest musst "
    "mythi ne negee negle negli nenne netrc netwo node nodes non notef notes notet nothi notic "
    "notif now npmrc nu nun nur obey obeyi obige objec olvid omita omite omiti oneli opdra "
    "opena openi opens opera oppos ora orden order ordin ordre orien origi oubli outpu overr "
    "overw owner page pages parse parsi passw paste patch paylo perin perma persi perso pgpas "
    "pirat play point pokyn polec polic post pre prece prepr prete previ princ print prior "
    "proce progr promp proto provi pull purpo pwned pypir qua quen query quest re read readi "
    "reads real recit recom recor red refus regar regel regis regla regle regol regra remem "
    "remin remov repea repet repit repla repli reply repo repor repos repro reque requi reset "
    "respo rest restr resul resum retur revea revel revie revok richt rivel rogue role rolep "
    "roles root rules safeg safet save say scrip secre secur send sent sente sera serve sessi "
    "shall share shell simul site skip slive sofor solls speak spell ssh stand start state stay "
    "stop store subse such sudo summa super suppo suspe sys syste talim talke task taski tasks "
    "teams telli termi tes thoug tidel todo token told tool top tout toute train trans trasc "
    "treat true tu tudo turn tutto type typic ubers uita um uma umgeh un uncen une uneth unfil "
    "unres unset untru updat upgra uploa urgen use user vai verge vergi verha verra versi villa "
    "viola visit void von vorga vos vous wait want websi wget whate whene wie wiede wipe wirst "
    "witho writt wrote wytyc yoner yours zapom zeig zeige zigno "
).split())

REVERSED_TRACES = ('erongi', 'snoitcurtsni', 'tpmorp', 'dragersid', 'tegrof')
# fmt: on
