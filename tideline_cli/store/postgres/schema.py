"""The tables of a memory on a server: those of a file, with triggers in PostgreSQL's language.

Tables and indexes are made of the schema of files, so there is one list of columns. The full-text
index is that of `posting_blocks`.
"""

from __future__ import annotations

import re

from tideline_cli.model.text import WITH_FORMS
from tideline_cli.store import schema as files
from tideline_cli.store.postgres import bounds, posting_blocks, row_security, tables, triggers
from tideline_cli.store.sync_schema import SYNC_SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM = re.compile(r"^(CREATE (?:TABLE|INDEX) .*?);$", re.DOTALL | re.MULTILINE)
_TYPES = (
    (r"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT PRIMARY KEY"),
    (r"\bINTEGER\b", "BIGINT"), (r"\bREAL\b", "DOUBLE PRECISION"), (r"\bBLOB\b", "BYTEA"),
    (r"x''", "''"), (r"\bTEXT\b", 'TEXT COLLATE "C"'), (r"\) STRICT(, WITHOUT ROWID)?$", ")"),
    (r"\((origin \+ 0)", r"((\1)"),
    (r"AS \(iif\(image = '', '(.*?)', image\)\)",
     r"GENERATED ALWAYS AS (CASE WHEN image = '' THEN '\1' ELSE image END) STORED"),
)  # fmt: skip


_NEVER_REUSED = (("fact", "seq"), ("link", "number"), ("change", "number"), ("turn", "number"))
SEQUENCES = tuple(f"{table}_{column}" for table, column in _NEVER_REUSED)
_NEXT = ("origin", "batch", "vector_chunk", "session")
_NOT_THERE = tuple(f"CREATE TABLE {name} " for name in tables.NOT_THERE)


def statements() -> Iterator[str]:
    """Yield the SQL that makes an empty memory, in the order in which it runs."""
    made = [item for item in tables_of(files.script()) if not item.startswith(_NOT_THERE)]
    yield from (item for item in made if " INDEX " not in item[:20])
    yield from _split(bounds.TABLES)
    for name in SEQUENCES:
        yield f"CREATE SEQUENCE {name}"
    yield from _split(FUNCTIONS)
    yield from (item for item in made if " INDEX " in item[:20])  # which call functions
    yield from _split(posting_blocks.script())
    yield from _split(TURNS)
    yield from _split(_NUMBERS)
    yield from row_security.tenants()
    yield from _split(triggers.script())
    for table, _ in _NEVER_REUSED:
        yield (
            f"CREATE TRIGGER {table}_numbered BEFORE INSERT ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION number_{table}()"
        )
    yield from map(numbering, _NEXT)
    yield from row_security.statements()
    yield "INSERT INTO origin (number, key) VALUES (1, 'owner')"
    yield f"INSERT INTO setting (name, value) VALUES ('analyzer', '{WITH_FORMS}')"
    yield f"INSERT INTO setting (name, value) VALUES ('schema_version', '{files.VERSION}')"


def tables_of(script: str) -> Iterator[str]:
    """Yield the SQL of the tables and indexes that a script for files makes."""
    for item in _ITEM.findall(re.sub(r"--[^\n]*", "", script)):
        for pattern, new in _TYPES:
            item = re.sub(pattern, new, item)
        yield item


def of_sync() -> Iterator[str]:
    """Yield the SQL that makes the tables of a memory that syncs."""
    yield from tables_of(SYNC_SCHEMA)
    for table in ("sync_replica", "sync_place"):
        yield numbering(table)


def numbering(table: str) -> str:
    """Return the SQL by which a row of a table without a number gets the next one."""
    return (
        f"CREATE TRIGGER {table}_numbered BEFORE INSERT ON {table} FOR EACH ROW"
        " WHEN (new.number IS NULL) EXECUTE FUNCTION number_next()"
    )


def _split(script: str) -> Iterator[str]:
    """Yield the statements of a script, which end with a semicolon at the end of a line; bodies of
    functions stand between two dollar signs."""
    lines: list[str] = []
    is_inside = False
    for line in script.strip().splitlines():
        is_inside ^= line.count("$$") % 2 == 1
        lines.append(line)
        if line.endswith(";") and not is_inside:
            yield "\n".join(lines)[:-1]
            lines = []


_NUMBERS = """
-- Rows without a number get the next one; writers come one after another.
CREATE FUNCTION number_next() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT coalesce(max(number), 0) + 1 FROM %I', tg_table_name) INTO new.number;
  RETURN new;
END $$;
-- Numbers of facts, edges and changes are never used again, also where the last ones are gone. Who
-- names one brings back what had it.
CREATE FUNCTION number_fact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.seq IS NULL AND EXISTS (SELECT 1 FROM fact WHERE id = new.id) THEN
    new.seq := 0;  -- it is refused for its id, and takes no number
  ELSIF new.seq IS NULL THEN
    new.seq := nextval('fact_seq');
  ELSIF new.seq > (SELECT last_value FROM fact_seq) OR EXISTS (
    SELECT 1 FROM change WHERE row = new.seq AND entity = 'fact' AND tenant <> new.origin) THEN
    RAISE check_violation USING MESSAGE = 'the number of a fact is given by the memory';
  END IF;
  RETURN new;
END $$;
CREATE FUNCTION number_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.number IS NULL THEN
    new.number := nextval('link_number');
  ELSIF new.number > (SELECT last_value FROM link_number) THEN
    RAISE check_violation USING MESSAGE = 'the number of an edge is given by the memory';
  END IF;
  RETURN new;
END $$;
CREATE FUNCTION number_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.number := nextval('turn_number');
  RETURN new;
END $$;
-- A run takes as many numbers as it has births, and has the last of them.
CREATE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last bigint := last_change();
BEGIN
  IF new.number IS NULL THEN
    new.number := nextval('change_number');
  ELSIF new.number > last + 1000000 THEN
    RAISE check_violation USING MESSAGE = 'the number of a change is given by the memory';
  ELSIF new.number > last THEN
    PERFORM setval('change_number', new.number);
  END IF;
  RETURN new;
END $$;
CREATE FUNCTION last_change() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM change_number
$$;
-- They are the memory's, of whatever origin.
CREATE FUNCTION next_numbers(OUT batch bigint, OUT fact bigint) LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
    SELECT (SELECT coalesce(max(number), 0) + 1 FROM batch),
           (SELECT last_value + is_called::integer FROM fact_seq)
$$;
CREATE FUNCTION open_kind() RETURNS bigint
  LANGUAGE sql STABLE AS $$ SELECT coalesce((SELECT open FROM batch WHERE open > 0), 1) $$;
CREATE FUNCTION open_batch() RETURNS bigint
  LANGUAGE sql STABLE AS $$ SELECT coalesce((SELECT number FROM batch WHERE open > 0), 0) $$;
"""

TURNS = """
-- The full-text index of turns, which triggers write.
CREATE TABLE turn_posting (
  origin BIGINT NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  turn BIGINT NOT NULL,
  PRIMARY KEY (term, turn) INCLUDE (origin)
);
CREATE VIEW turn_vocabulary WITH (security_invoker) AS
  SELECT term, count(*) AS doc FROM turn_posting GROUP BY term ORDER BY term;
CREATE FUNCTION turns_holding(condition text) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT turn FROM turn_posting WHERE term = btrim(condition, '"') ORDER BY 1
$$;
CREATE FUNCTION index_turns() RETURNS void LANGUAGE sql AS $$
  DELETE FROM turn_posting;
  INSERT INTO turn_posting
    SELECT origin, term, number FROM turn, index_terms(origin, terms) AS term WHERE hidden = 0;
$$;
CREATE FUNCTION turns_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op <> 'INSERT' THEN
    DELETE FROM turn_posting USING gone, index_terms(gone.origin, gone.terms) AS held (term)
      WHERE gone.hidden = 0 AND turn_posting.term = held.term AND turn = gone.number;
    INSERT INTO turn_tally
      SELECT origin, -count(*), -sum(length)::bigint,
             -sum(octet_length(content) + octet_length(terms))::bigint
      FROM gone WHERE hidden = 0 GROUP BY origin ON CONFLICT (origin) DO UPDATE
      SET turns = turn_tally.turns + excluded.turns, tokens = turn_tally.tokens + excluded.tokens,
          octets = turn_tally.octets + excluded.octets;
  END IF;
  IF tg_op <> 'DELETE' THEN
    INSERT INTO turn_posting
      SELECT origin, term, number FROM born, index_terms(origin, terms) AS term WHERE hidden = 0;
    INSERT INTO turn_tally
      SELECT origin, count(*), sum(length)::bigint,
             sum(octet_length(content) + octet_length(terms))::bigint
      FROM born WHERE hidden = 0 GROUP BY origin ON CONFLICT (origin) DO UPDATE
      SET turns = turn_tally.turns + excluded.turns, tokens = turn_tally.tokens + excluded.tokens,
          octets = turn_tally.octets + excluded.octets;
  END IF;
  DELETE FROM turn_tally WHERE turns = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER turns_born AFTER INSERT ON turn REFERENCING NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION turns_changed();
CREATE TRIGGER turns_changed AFTER UPDATE ON turn REFERENCING OLD TABLE AS gone NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION turns_changed();
CREATE TRIGGER turns_gone AFTER DELETE ON turn REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION turns_changed();
"""


FUNCTIONS = r"""
CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible
  LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
CREATE FUNCTION max(anycompatible, anycompatible) RETURNS anycompatible
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $1 >= $2 THEN $1 ELSE $2 END';
CREATE FUNCTION min(anycompatible, anycompatible) RETURNS anycompatible
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $1 <= $2 THEN $1 ELSE $2 END';
-- A value times a power. What is too small for a double is 0, and no error.
CREATE FUNCTION faded(double precision, double precision) RETURNS double precision
  LANGUAGE sql IMMUTABLE STRICT AS '
    SELECT CASE WHEN $2 < -700 OR ($1 > 0 AND ln($1) + $2 < -744) THEN 0 ELSE $1 * exp($2) END
  ';
CREATE FUNCTION instr(text, text) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT strpos($1, $2)';
CREATE FUNCTION json_each(text) RETURNS TABLE (key text, value text)
  LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT NULL, item FROM json_array_elements_text($1::json) AS item $$;
CREATE FUNCTION json_rows(text) RETURNS TABLE (key text, value text)
  LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT NULL, item::text FROM json_array_elements($1::json) AS item $$;
CREATE FUNCTION bytes_of(anyelement) RETURNS bytea
  LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT convert_to($1::text, 'UTF8') $$;
CREATE FUNCTION json_valid(text) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE STRICT AS
  $$ BEGIN PERFORM $1::json; RETURN true; EXCEPTION WHEN OTHERS THEN RETURN false; END $$;
CREATE FUNCTION json_item(text, text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1::json ->> $2';
CREATE FUNCTION json_item(text, integer) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1::json ->> $2';
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_item);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = json_item);
-- A truth counts as 0 or 1, and a text that is a number as that number.
CREATE FUNCTION add_truth(bigint, boolean) RETURNS bigint
  LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, 0) + coalesce($2::integer, 0)';
CREATE AGGREGATE sum(boolean) (SFUNC = add_truth, STYPE = bigint);
CREATE FUNCTION times(boolean, bigint) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1::integer * $2';
CREATE OPERATOR * (LEFTARG = boolean, RIGHTARG = bigint, FUNCTION = times);
CREATE FUNCTION times(boolean, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT ($1::integer * $2)::bigint';
CREATE OPERATOR * (LEFTARG = boolean, RIGHTARG = integer, FUNCTION = times);
CREATE FUNCTION minus(boolean, boolean) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1::integer - $2::integer';
CREATE OPERATOR - (LEFTARG = boolean, RIGHTARG = boolean, FUNCTION = minus);
CREATE FUNCTION plus(text, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1::bigint + $2';
CREATE OPERATOR + (LEFTARG = text, RIGHTARG = integer, FUNCTION = plus);
CREATE FUNCTION plus(integer, boolean) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1 + $2::integer';
CREATE OPERATOR + (LEFTARG = integer, RIGHTARG = boolean, FUNCTION = plus);
CREATE FUNCTION minus(bigint, text) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1 - $2::bigint';
CREATE OPERATOR - (LEFTARG = bigint, RIGHTARG = text, FUNCTION = minus);
CREATE FUNCTION glob_pattern(text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT '^' || replace(replace(regexp_replace($1, '([.\\+^$(){}|])', '\\\1', 'g'),
                                  '*', '.*'), '?', '.') || '$'
  $$;
CREATE VIEW sqlite_schema WITH (security_invoker) AS
  SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace;
"""
