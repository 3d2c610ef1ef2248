"""The SQL that makes a file of version 3, as files have it: what a step of migration makes.

`make generate` follows the schema while this is its version.
"""

from __future__ import annotations

SCRIPT = r"""
CREATE TABLE setting(
name TEXT PRIMARY KEY NOT NULL,
value TEXT NOT NULL
) STRICT,WITHOUT ROWID;
CREATE TABLE origin(
number INTEGER PRIMARY KEY,
key TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE fact(
seq INTEGER PRIMARY KEY AUTOINCREMENT,
id TEXT NOT NULL UNIQUE,
origin INTEGER NOT NULL REFERENCES origin(number),
created_at INTEGER NOT NULL,
lifecycle TEXT NOT NULL DEFAULT 'active',
segment TEXT NOT NULL,
tier TEXT NOT NULL,
heat TEXT NOT NULL,
importance REAL NOT NULL,
decay_rate REAL,
source TEXT NOT NULL,
confidence REAL,
status TEXT,
slot TEXT,
valid_from INTEGER,
valid_to INTEGER,
pinned INTEGER NOT NULL DEFAULT 0,
kind TEXT,
title TEXT,
source_turn TEXT,
tags TEXT,
derived_from TEXT,
metadata TEXT,
length INTEGER NOT NULL,
content TEXT NOT NULL,
terms TEXT NOT NULL,
digest INTEGER,
scope TEXT,
session TEXT,
turn INTEGER,
speaker TEXT,
role TEXT,
document TEXT,
agent TEXT,
progress TEXT,
statement TEXT
) STRICT;
CREATE INDEX fact_slot ON fact(origin,slot,lifecycle) WHERE slot IS NOT NULL;
CREATE INDEX fact_scope ON fact(origin,scope) WHERE scope IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_session ON fact(origin,session,turn)
WHERE session IS NOT NULL OR speaker IS NOT NULL;
CREATE INDEX fact_document ON fact(origin,document,turn)
WHERE document IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_work ON fact(origin,kind,progress)
WHERE progress IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_ends ON fact(origin,valid_to)
WHERE valid_to IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_begins ON fact(origin,valid_from)
WHERE valid_from IS NOT NULL AND lifecycle = 'active';
CREATE INDEX fact_active ON fact(origin + 0,created_at) WHERE lifecycle = 'active';
CREATE INDEX fact_inactive ON fact(origin + 0,created_at) WHERE lifecycle <> 'active';
CREATE TABLE census(
origin INTEGER NOT NULL REFERENCES origin(number),
lifecycle TEXT NOT NULL,
segment TEXT NOT NULL,
tier TEXT NOT NULL,
heat TEXT NOT NULL,
source TEXT NOT NULL,
pinned INTEGER NOT NULL,
scope TEXT NOT NULL,
facts INTEGER NOT NULL,
octets INTEGER NOT NULL,
PRIMARY KEY(origin,lifecycle,segment,tier,heat,source,pinned,scope)
) STRICT,WITHOUT ROWID;
CREATE TABLE arrival(
origin INTEGER NOT NULL REFERENCES origin(number),
hour INTEGER NOT NULL,
facts INTEGER NOT NULL,
tokens INTEGER NOT NULL,
PRIMARY KEY(origin,hour)
) STRICT,WITHOUT ROWID;
CREATE TABLE tally(
origin INTEGER NOT NULL REFERENCES origin(number),
source TEXT NOT NULL,
facts INTEGER NOT NULL,
tokens INTEGER NOT NULL,
PRIMARY KEY(origin,source)
) STRICT,WITHOUT ROWID;
CREATE TABLE archived_term(
origin INTEGER NOT NULL REFERENCES origin(number),
term TEXT NOT NULL,
facts INTEGER NOT NULL,
PRIMARY KEY(origin,term)
) STRICT,WITHOUT ROWID;
CREATE TABLE lapsed(
origin INTEGER PRIMARY KEY REFERENCES origin(number),
at INTEGER NOT NULL,
facts INTEGER NOT NULL,
tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE lapsed_term(
origin INTEGER NOT NULL REFERENCES origin(number),
term TEXT NOT NULL,
facts INTEGER NOT NULL,
PRIMARY KEY(origin,term)
) STRICT,WITHOUT ROWID;
CREATE TABLE label_term(
origin INTEGER NOT NULL REFERENCES origin(number),
term TEXT NOT NULL,
fact INTEGER NOT NULL,
size INTEGER NOT NULL,
PRIMARY KEY(origin,term,fact)
) STRICT,WITHOUT ROWID;
CREATE VIEW fact_index(seq,terms) AS
SELECT seq,
CASE
WHEN terms = '' OR origin = 1 THEN terms
ELSE origin || '_' || replace(trim(replace(terms,char(32,32),' ')),' ',' ' || origin || '_')
END
FROM fact;
CREATE VIRTUAL TABLE fact_fts USING fts5(
terms,content = 'fact_index',content_rowid = 'seq',columnsize = 0,detail = 'none',
tokenize = "ascii tokenchars '_'"
);
INSERT INTO fact_fts(fact_fts,rank) VALUES('secure-delete',1);
INSERT INTO fact_fts(fact_fts,rank) VALUES('automerge',2);
CREATE VIRTUAL TABLE fact_vocabulary USING fts5vocab(fact_fts,row);
CREATE VIEW counted AS SELECT 1 AS sign,0 AS later,origin,lifecycle,segment,tier,heat,source,pinned,scope,created_at,length,terms,valid_from,valid_to,octet_length(content) + octet_length(terms) AS octets FROM fact;
CREATE TRIGGER fact_counted INSTEAD OF INSERT ON counted WHEN NOT new.later BEGIN
INSERT INTO census VALUES(new.origin,new.lifecycle,new.segment,new.tier,new.heat,new.source,new.pinned,new.scope,new.sign,new.sign * new.octets)
ON CONFLICT DO UPDATE SET facts = facts + excluded.facts,octets = octets + excluded.octets;
DELETE FROM census WHERE new.sign < 0 AND(origin,lifecycle,segment,tier,heat,source,pinned,scope) =(new.origin,new.lifecycle,new.segment,new.tier,new.heat,new.source,new.pinned,new.scope) AND facts = 0;
INSERT INTO arrival SELECT new.origin,new.created_at / 3600000,new.sign,new.sign * new.length
WHERE new.lifecycle = 'active'
ON CONFLICT DO UPDATE SET facts = facts + excluded.facts,tokens = tokens + excluded.tokens;
DELETE FROM arrival
WHERE new.sign < 0 AND origin = new.origin AND hour = new.created_at / 3600000 AND facts = 0;
INSERT INTO tally SELECT new.origin,new.source,new.sign,new.sign * new.length
WHERE new.lifecycle = 'active'
ON CONFLICT DO UPDATE SET facts = facts + excluded.facts,tokens = tokens + excluded.tokens;
END;
CREATE TRIGGER fact_terms_counted INSTEAD OF INSERT ON counted WHEN(new.lifecycle <> 'active' OR new.valid_from IS NOT NULL
OR new.valid_to IS NOT NULL) BEGIN
INSERT INTO archived_term SELECT new.origin,value,new.sign FROM json_each('["' || replace(trim(replace(new.terms,char(32,32),' ')),' ','","') || '"]')
WHERE new.lifecycle <> 'active' AND value <> '' GROUP BY value
ON CONFLICT DO UPDATE SET facts = facts + excluded.facts;
INSERT INTO lapsed
SELECT new.origin,ifnull((SELECT at FROM batch WHERE open > 0),new.created_at),0,0
WHERE new.sign > 0 AND new.lifecycle = 'active' ON CONFLICT DO NOTHING;
UPDATE lapsed SET facts = facts + new.sign,tokens = tokens + new.sign * new.length
WHERE lapsed.origin = new.origin AND new.lifecycle = 'active' AND(new.valid_to <= at OR new.valid_from > at);
INSERT INTO lapsed_term SELECT new.origin,value,new.sign FROM lapsed,json_each('["' || replace(trim(replace(new.terms,char(32,32),' ')),' ','","') || '"]')
WHERE lapsed.origin = new.origin AND new.lifecycle = 'active' AND(new.valid_to <= at OR new.valid_from > at) AND value <> '' GROUP BY value
ON CONFLICT DO UPDATE SET facts = facts + excluded.facts;
END;
CREATE TRIGGER fact_counting AFTER INSERT ON fact WHEN ifnull((SELECT open FROM batch WHERE open > 0),1) < 3 OR(new.lifecycle <> 'active' OR new.valid_from IS NOT NULL
OR new.valid_to IS NOT NULL) BEGIN
INSERT INTO counted VALUES(1,ifnull((SELECT open FROM batch WHERE open > 0),1) > 2,new.origin,new.lifecycle,new.segment,new.tier,new.heat,new.source,new.pinned,
ifnull(new.scope,''),new.created_at,new.length,new.terms,new.valid_from,new.valid_to,
octet_length(new.content) + octet_length(new.terms));
END;
CREATE TRIGGER fact_unindexed BEFORE DELETE ON fact WHEN ifnull((SELECT open FROM batch WHERE open > 0),1) = 1 BEGIN
INSERT INTO fact_fts(fact_fts,rowid,terms)
SELECT 'delete',seq,terms FROM fact_index WHERE seq = old.seq;
END;
CREATE TRIGGER fact_reindexing BEFORE UPDATE OF seq,origin,terms ON fact WHEN old.terms <> new.terms OR old.origin <> new.origin OR old.seq <> new.seq BEGIN
INSERT INTO fact_fts(fact_fts,rowid,terms)
SELECT 'delete',seq,terms FROM fact_index WHERE seq = old.seq;
END;
CREATE TRIGGER fact_changed AFTER UPDATE OF
seq,origin,lifecycle,segment,tier,heat,source,pinned,scope,created_at,length,terms,
valid_from,valid_to,content ON fact
BEGIN
INSERT INTO fact_fts(rowid,terms)
SELECT seq,terms FROM fact_index WHERE seq = new.seq AND(old.terms <> new.terms OR old.origin <> new.origin OR old.seq <> new.seq);
INSERT INTO counted VALUES(-1,0,old.origin,old.lifecycle,old.segment,old.tier,old.heat,old.source,old.pinned,
ifnull(old.scope,''),old.created_at,old.length,old.terms,old.valid_from,old.valid_to,
octet_length(old.content) + octet_length(old.terms));
INSERT INTO counted VALUES(1,0,new.origin,new.lifecycle,new.segment,new.tier,new.heat,new.source,new.pinned,
ifnull(new.scope,''),new.created_at,new.length,new.terms,new.valid_from,new.valid_to,
octet_length(new.content) + octet_length(new.terms));
INSERT OR IGNORE INTO unpaired SELECT new.seq FROM near_progress
WHERE origin = new.origin AND seq >= new.seq
AND new.lifecycle = 'active' AND old.lifecycle <> 'active';
END;
CREATE TABLE usage(
fact INTEGER PRIMARY KEY REFERENCES fact(seq) ON DELETE CASCADE,
access_count INTEGER NOT NULL,
last_accessed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE given(
fact INTEGER PRIMARY KEY REFERENCES fact(seq) ON DELETE CASCADE,
at INTEGER NOT NULL
) STRICT;
CREATE TABLE fade(
fact INTEGER PRIMARY KEY REFERENCES fact(seq) ON DELETE CASCADE,
origin INTEGER NOT NULL REFERENCES origin(number),
at INTEGER NOT NULL
) STRICT;
CREATE INDEX fade_of ON fade(origin,at);
CREATE TABLE link(
number INTEGER PRIMARY KEY AUTOINCREMENT,
from_fact INTEGER NOT NULL REFERENCES fact(seq) ON DELETE CASCADE,
to_fact INTEGER NOT NULL REFERENCES fact(seq) ON DELETE CASCADE,
kind TEXT NOT NULL,
reason TEXT,
strength INTEGER,
created_at INTEGER NOT NULL,
UNIQUE(from_fact,to_fact,kind)
) STRICT;
CREATE INDEX link_to ON link(to_fact);
CREATE TABLE batch(
number INTEGER PRIMARY KEY,
origin INTEGER NOT NULL REFERENCES origin(number),
ordinal INTEGER NOT NULL,
at INTEGER NOT NULL,
verb TEXT NOT NULL,
outcome TEXT NOT NULL DEFAULT 'done',
reason TEXT,
open INTEGER NOT NULL DEFAULT 0,
first INTEGER NOT NULL DEFAULT 0,
undoes INTEGER,
whole INTEGER NOT NULL DEFAULT 0,
last INTEGER NOT NULL DEFAULT 0,
UNIQUE(origin,ordinal)
) STRICT;
CREATE INDEX batch_open ON batch(number) WHERE open > 0;
CREATE TABLE notice(
origin INTEGER NOT NULL REFERENCES origin(number),
batch INTEGER NOT NULL REFERENCES batch(number),
facts INTEGER NOT NULL,
PRIMARY KEY(origin,batch)
) STRICT,WITHOUT ROWID;
CREATE TABLE batch_count(
batch INTEGER NOT NULL,
origin INTEGER NOT NULL,
added INTEGER NOT NULL,
changed INTEGER NOT NULL,
removed INTEGER NOT NULL,
archived INTEGER NOT NULL,
linked INTEGER NOT NULL,
relinked INTEGER NOT NULL,
unlinked INTEGER NOT NULL,
used INTEGER NOT NULL,
PRIMARY KEY(batch,origin)
) STRICT,WITHOUT ROWID;
CREATE TABLE change(
number INTEGER PRIMARY KEY,
batch INTEGER NOT NULL,
entity TEXT NOT NULL,
row INTEGER NOT NULL,
act TEXT NOT NULL,
image TEXT,
after TEXT,
before TEXT AS(iif(image = '','{"lifecycle":"active","valid_to":null}',image))
) STRICT;
CREATE INDEX change_row ON change(row);
CREATE INDEX change_run ON change(row) WHERE entity = 'facts';
CREATE INDEX change_edge ON change(row) WHERE entity = 'link' AND before IS NOT NULL;
CREATE TRIGGER fact_inserted AFTER INSERT ON fact WHEN ifnull((SELECT open FROM batch WHERE open > 0),1) < 4 BEGIN
INSERT INTO change(batch,entity,row,act)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'fact',new.seq,'+');
INSERT INTO fact_fts(rowid,terms)
SELECT seq,terms FROM fact_index WHERE seq = new.seq AND ifnull((SELECT open FROM batch WHERE open > 0),1) = 1;
INSERT OR IGNORE INTO unpaired SELECT new.seq FROM near_progress
WHERE origin = new.origin AND seq >= new.seq;
END;
CREATE TRIGGER fact_updated AFTER UPDATE OF
id,origin,created_at,lifecycle,segment,tier,heat,importance,decay_rate,source,
confidence,status,slot,valid_from,valid_to,pinned,kind,title,source_turn,tags,
derived_from,metadata,content,scope,session,turn,speaker,role,document,agent,progress,
statement ON fact
BEGIN
INSERT INTO change(batch,entity,row,act,image)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'fact',old.seq,'~',
replace((SELECT json_group_object(key,value) FROM(
SELECT key,value FROM json_each(json_object('id',old.id,'origin',old.origin,'created_at',old.created_at,'lifecycle',old.lifecycle,'segment',old.segment,'tier',old.tier,'heat',old.heat,'importance',old.importance,'decay_rate',old.decay_rate,'source',old.source,'confidence',old.confidence,'status',old.status,'slot',old.slot,'valid_from',old.valid_from,'valid_to',old.valid_to,'pinned',old.pinned,'kind',old.kind,'title',old.title,'source_turn',old.source_turn,'tags',old.tags,'derived_from',old.derived_from,'metadata',old.metadata,'content',old.content,'scope',old.scope,'session',old.session,'turn',old.turn,'speaker',old.speaker,'role',old.role,'document',old.document,'agent',old.agent,'progress',old.progress,'statement',old.statement))
EXCEPT SELECT key,value FROM json_each(json_object('id',new.id,'origin',new.origin,'created_at',new.created_at,'lifecycle',new.lifecycle,'segment',new.segment,'tier',new.tier,'heat',new.heat,'importance',new.importance,'decay_rate',new.decay_rate,'source',new.source,'confidence',new.confidence,'status',new.status,'slot',new.slot,'valid_from',new.valid_from,'valid_to',new.valid_to,'pinned',new.pinned,'kind',new.kind,'title',new.title,'source_turn',new.source_turn,'tags',new.tags,'derived_from',new.derived_from,'metadata',new.metadata,'content',new.content,'scope',new.scope,'session',new.session,'turn',new.turn,'speaker',new.speaker,'role',new.role,'document',new.document,'agent',new.agent,'progress',new.progress,'statement',new.statement)))),
'{"lifecycle":"active","valid_to":null}',''));
END;
CREATE TRIGGER fact_deleted AFTER DELETE ON fact BEGIN
INSERT INTO change(batch,entity,row,act,image)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'fact',old.seq,'-',json_object('seq',old.seq,'id',old.id,'origin',old.origin,'created_at',old.created_at,'lifecycle',old.lifecycle,'segment',old.segment,'tier',old.tier,'heat',old.heat,'importance',old.importance,'decay_rate',old.decay_rate,'source',old.source,'confidence',old.confidence,'status',old.status,'slot',old.slot,'valid_from',old.valid_from,'valid_to',old.valid_to,'pinned',old.pinned,'kind',old.kind,'title',old.title,'source_turn',old.source_turn,'tags',old.tags,'derived_from',old.derived_from,'metadata',old.metadata,'content',old.content,'scope',old.scope,'session',old.session,'turn',old.turn,'speaker',old.speaker,'role',old.role,'document',old.document,'agent',old.agent,'progress',old.progress,'statement',old.statement));
INSERT INTO counted VALUES(-1,0,old.origin,old.lifecycle,old.segment,old.tier,old.heat,old.source,old.pinned,
ifnull(old.scope,''),old.created_at,old.length,old.terms,old.valid_from,old.valid_to,
octet_length(old.content) + octet_length(old.terms));
END;
CREATE TRIGGER link_inserted AFTER INSERT ON link BEGIN
INSERT INTO change(batch,entity,row,act)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'link',new.number,'+');
END;
CREATE TRIGGER link_updated AFTER UPDATE ON link BEGIN
INSERT INTO change(batch,entity,row,act,image)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'link',old.number,'~',
json_object('number',old.number,'from_fact',old.from_fact,'to_fact',old.to_fact,'kind',old.kind,'reason',old.reason,'strength',old.strength,'created_at',old.created_at));
END;
CREATE TRIGGER link_deleted AFTER DELETE ON link BEGIN
INSERT INTO change(batch,entity,row,act,image)
VALUES(ifnull((SELECT number FROM batch WHERE open > 0),0),'link',old.number,'-',
json_object('number',old.number,'from_fact',old.from_fact,'to_fact',old.to_fact,'kind',old.kind,'reason',old.reason,'strength',old.strength,'created_at',old.created_at));
END;
CREATE TRIGGER usage_inserted AFTER INSERT ON usage BEGIN
INSERT INTO change(batch,entity,row,act,after)
SELECT number,'usage',new.fact,'+',json_object('fact',new.fact,'access_count',new.access_count,'last_accessed_at',new.last_accessed_at) FROM batch WHERE open > 0;
END;
CREATE TRIGGER usage_updated AFTER UPDATE ON usage BEGIN
INSERT INTO change(batch,entity,row,act,image,after)
SELECT number,'usage',old.fact,'~',json_object('fact',old.fact,'access_count',old.access_count,'last_accessed_at',old.last_accessed_at),json_object('fact',new.fact,'access_count',new.access_count,'last_accessed_at',new.last_accessed_at) FROM batch WHERE open > 0;
END;
CREATE TRIGGER usage_deleted AFTER DELETE ON usage BEGIN
INSERT INTO change(batch,entity,row,act,image)
SELECT number,'usage',old.fact,'-',json_object('fact',old.fact,'access_count',old.access_count,'last_accessed_at',old.last_accessed_at) FROM batch WHERE open > 0;
END;
CREATE TABLE stated(
fact INTEGER PRIMARY KEY REFERENCES fact(seq) ON DELETE CASCADE,
change INTEGER NOT NULL,
changed_at INTEGER NOT NULL,
said_at INTEGER NOT NULL,
gone TEXT
) STRICT;
CREATE TABLE vector_chunk(
number INTEGER PRIMARY KEY,
origin INTEGER NOT NULL REFERENCES origin(number),
embedder TEXT NOT NULL,
facts BLOB NOT NULL,
codes BLOB NOT NULL,
lows BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX vector_chunk_of ON vector_chunk(origin,embedder);
CREATE TABLE ceiling(
number INTEGER PRIMARY KEY,
codes BLOB NOT NULL
) STRICT;
CREATE TABLE common_posting(
origin INTEGER NOT NULL REFERENCES origin(number),
term TEXT NOT NULL,
number INTEGER NOT NULL,
upto INTEGER NOT NULL,
facts INTEGER NOT NULL,
holders BLOB NOT NULL,
repeats BLOB NOT NULL,
UNIQUE(origin,term,number)
) STRICT;
CREATE TABLE vector_progress(
origin INTEGER NOT NULL REFERENCES origin(number),
embedder TEXT NOT NULL,
seq INTEGER NOT NULL,
PRIMARY KEY(origin,embedder)
) STRICT,WITHOUT ROWID;
CREATE TABLE query_vector(
origin INTEGER NOT NULL REFERENCES origin(number),
embedder TEXT NOT NULL,
digest BLOB NOT NULL,
number INTEGER NOT NULL,
code BLOB NOT NULL,
PRIMARY KEY(origin,embedder,digest)
) STRICT,WITHOUT ROWID;
CREATE TABLE near(
fact INTEGER NOT NULL REFERENCES fact(seq) ON DELETE CASCADE,
other INTEGER NOT NULL REFERENCES fact(seq) ON DELETE CASCADE,
cosine REAL NOT NULL,
PRIMARY KEY(fact,other)
) STRICT,WITHOUT ROWID;
CREATE INDEX near_other ON near(other);
CREATE TABLE near_progress(
origin INTEGER PRIMARY KEY REFERENCES origin(number),
embedder TEXT NOT NULL,
floor REAL NOT NULL,
seq INTEGER NOT NULL
) STRICT;
CREATE TABLE unpaired(
fact INTEGER PRIMARY KEY REFERENCES fact(seq) ON DELETE CASCADE
) STRICT;
CREATE TABLE cursor(
origin INTEGER NOT NULL REFERENCES origin(number),
session TEXT NOT NULL,
pass TEXT NOT NULL,
done INTEGER NOT NULL,
PRIMARY KEY(origin,session,pass)
) STRICT,WITHOUT ROWID;
INSERT INTO origin(number,key) VALUES(1,'owner');
INSERT INTO setting(name,value) VALUES('analyzer','standard/2');
"""
