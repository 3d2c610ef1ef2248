"""The full-text index of a memory on a server: which facts hold which terms.

What is new stands in `posting`, a row for each term of a fact. From there it is folded into
`posting_block`: a row for up to BLOCK facts that hold a term, which takes a tenth of the room.
`indexed_term` shows both as one. A block covers the numbers from its first fact up to the first
fact of the next block of its term; no fact stands in two of them, or in a block and in `posting`.
"""

from __future__ import annotations

BLOCK = 256  # facts of a block at most: its row stays in the table, and is not packed apart
_FEW = 128  # new facts that are too few to be put into blocks at once
_MANY = 4096  # rows of `posting` from which on a bulk folds them
_PAGES = 100  # pages of facts from which on the planner of the server is told how many there are
_SCRIPT = """
-- Terms of origins other than the owner carry their number: 7_deploy.
CREATE TABLE posting (
  origin BIGINT NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  fact BIGINT NOT NULL,
  PRIMARY KEY (term, fact) INCLUDE (origin)  -- which the wall asks for: no row is read for it
);
CREATE INDEX posting_fact ON posting (origin, fact);
-- `offsets` are the numbers of the facts less `first`, ascending from 0.
CREATE TABLE posting_block (
  origin BIGINT NOT NULL,
  first BIGINT NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  offsets INTEGER[] NOT NULL,
  PRIMARY KEY (term, origin, first),
  CHECK (coalesce(offsets[1] = 0, false) AND array_ndims(offsets) = 1
         AND array_position(offsets, NULL) IS NULL)
) WITH (fillfactor = 70);
CREATE VIEW indexed_term WITH (security_invoker) AS
  SELECT origin, term, fact FROM posting
  UNION ALL SELECT origin, term, first + unnest(offsets) FROM posting_block;
CREATE VIEW fact_vocabulary WITH (security_invoker) AS
  SELECT term, sum(facts) AS doc FROM (
    SELECT term, 1 AS facts FROM posting
    UNION ALL SELECT term, cardinality(offsets) FROM posting_block) AS held
  GROUP BY term ORDER BY term;
CREATE FUNCTION index_terms(origin bigint, terms text) RETURNS SETOF text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT DISTINCT (CASE WHEN origin = 1 THEN '' ELSE origin || '_' END) || term
    FROM string_to_table(terms, ' ') AS term WHERE term <> ''
  $$;
-- The facts whose terms fulfil a condition, as the store writes it: ("a" AND ("b" OR "c")).
CREATE FUNCTION matching(condition text) RETURNS SETOF bigint
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN QUERY EXECUTE 'SELECT fact FROM (' || replace(replace(replace(
      regexp_replace(replace(condition, chr(39), ''), '"([^"]*)"',
                     '(SELECT fact FROM indexed_term WHERE term = ' || chr(39) || '\\1' || chr(39)
                     || ')', 'g'),
      ' AND ', ' INTERSECT '), ' OR ', ' UNION '), ' NOT ', ' EXCEPT ') || ') AS found ORDER BY 1';
  END $$;
-- Blocks of so many of the facts, which ascend. Offsets are whole numbers of four bytes.
CREATE FUNCTION blocks_of(facts bigint[], size bigint)
  RETURNS TABLE (first bigint, offsets integer[]) LANGUAGE sql IMMUTABLE AS $$
    SELECT part[1], ARRAY(SELECT (one - part[1])::integer FROM unnest(part) AS one)
    FROM (SELECT array_agg(fact ORDER BY place) AS part
          FROM unnest(facts) WITH ORDINALITY AS each (fact, place)
          GROUP BY fact >> 31, (place - 1) / size) AS parts
  $$;
-- Facts of a term that stand between those in its blocks: the blocks around them are made anew.
CREATE FUNCTION put_between(whose bigint, named text, fresh bigint[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  until bigint := fresh[cardinality(fresh)];
  start bigint := coalesce((SELECT max(first) FROM posting_block
    WHERE term = named AND origin = whose AND first <= fresh[1]), fresh[1]);
  whole bigint[] := ARRAY(SELECT unnest(fresh) UNION
    SELECT first + unnest(offsets) FROM posting_block
    WHERE term = named AND origin = whose AND first BETWEEN start AND until ORDER BY 1);
  parts integer := (cardinality(whole) + {block} - 1) / {block};
BEGIN
  DELETE FROM posting_block
    WHERE term = named AND origin = whose AND first BETWEEN start AND until;
  INSERT INTO posting_block (origin, first, term, offsets)
    SELECT whose, first, named, offsets
    FROM blocks_of(whole, (cardinality(whole) + parts - 1) / parts);
END $$;
-- What `posting` holds of these origins goes into blocks.
CREATE FUNCTION fold_of(origins bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
DECLARE
  late record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('tideline writer'), hashtext(current_schema()));
  FOR late IN
    WITH tail AS (DELETE FROM posting WHERE posting.origin = ANY (origins)
                  RETURNING posting.origin, posting.term, posting.fact),
    fresh AS (SELECT tail.origin, tail.term, array_agg(fact ORDER BY fact) AS facts
              FROM tail GROUP BY tail.origin, tail.term){put}
  LOOP
    PERFORM put_between(late.origin, late.term, late.facts);
  END LOOP;
END $$;
-- Of an origin, or of all that the role sees.
CREATE FUNCTION fold_postings(bigint) RETURNS void LANGUAGE sql AS $$
  SELECT fold_of(ARRAY(SELECT number FROM origin WHERE $1 IS NULL OR number = $1))
$$;
-- Once the facts take twice the room of which the planner knows, it is told: else it reads
-- whole tables until the server looks by itself, which may take minutes.
CREATE FUNCTION note_growth() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT pg_relation_size(oid) / current_setting('block_size')::bigint > 2 * relpages + {pages}
      FROM pg_class WHERE oid = 'fact'::regclass) THEN
    ANALYZE fact, posting, posting_block, common_posting, usage, link, label_term, vector_chunk;
  END IF;
END $$;
-- Of some origins (NULL: of all) those that the role sees that asks. Who runs a function that runs
-- as the owner is not `current_user`.
CREATE FUNCTION own_of(origins bigint[]) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  asking name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
  IF pg_has_role(asking, current_user, 'USAGE')
    OR EXISTS (SELECT 1 FROM pg_roles WHERE rolname = asking AND rolbypassrls) THEN
    RETURN origins;
  END IF;
  RETURN ARRAY(SELECT member.origin FROM member
               WHERE role = asking AND (origins IS NULL OR member.origin = ANY (origins)));
END $$;
CREATE FUNCTION index_of(after bigint, origins bigint[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  late record;
  touched bigint[];
BEGIN
  origins := own_of(origins);
  touched := ARRAY(SELECT DISTINCT fact.origin FROM fact
    WHERE seq > after AND (origins IS NULL OR fact.origin = ANY (origins)));
  PERFORM pg_advisory_xact_lock(hashtext('tideline writer'), hashtext(current_schema()));
  IF after = 0 THEN
    PERFORM set_config('tideline.index', '', true);
    DELETE FROM posting WHERE origins IS NULL OR posting.origin = ANY (origins);
    DELETE FROM posting_block WHERE origins IS NULL OR posting_block.origin = ANY (origins);
  ELSE
    DELETE FROM posting WHERE posting.fact > after AND posting.origin = ANY (touched);
    IF (SELECT count(*) < {few} FROM fact WHERE seq > after) THEN
      INSERT INTO posting SELECT fact.origin, term, fact.seq
        FROM fact, index_terms(fact.origin, fact.terms) AS term
        WHERE fact.seq > after AND fact.origin = ANY (touched);
      IF {many} = (SELECT count(*) FROM (SELECT FROM posting WHERE posting.origin = ANY (touched)
                                         LIMIT {many}) AS counted) THEN
        PERFORM fold_of(touched);
      END IF;
      RETURN;
    END IF;
  END IF;
  FOR late IN
    WITH fresh AS (
      SELECT fact.origin, term, array_agg(seq ORDER BY seq) AS facts
      FROM fact, index_terms(fact.origin, fact.terms) AS term
      WHERE seq > after AND (origins IS NULL OR fact.origin = ANY (origins))
      GROUP BY fact.origin, term){put}
  LOOP
    PERFORM put_between(late.origin, late.term, late.facts);
  END LOOP;
  PERFORM note_growth();
END $$;
-- Of a member, the facts of their origins.
CREATE FUNCTION index_after(bigint) RETURNS void LANGUAGE sql AS $$
  SELECT index_of($1, CASE WHEN row_security_active('fact')
                           THEN ARRAY(SELECT number FROM origin) END)
$$;
-- The index is left as it is for the rest of the transaction, or until it is made anew.
CREATE FUNCTION leave_index() RETURNS text LANGUAGE sql AS $$
  SELECT set_config('tideline.index', 'left', true)
$$;
CREATE FUNCTION is_indexing() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('tideline.index', true) IS DISTINCT FROM 'left'
$$;
CREATE FUNCTION put_in_index(seq bigint, whose bigint, terms text) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF is_indexing() THEN
    INSERT INTO posting SELECT whose, term, seq FROM index_terms(whose, terms) AS term;
  END IF;
END $$;
-- A fact goes out of `posting`, and out of the blocks of its terms; a block of nothing goes too.
CREATE FUNCTION take_from_index(seq bigint, whose bigint, terms text) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_indexing() THEN
    RETURN;
  END IF;
  DELETE FROM posting WHERE posting.origin = whose AND posting.fact = seq;
  WITH held AS MATERIALIZED (
    SELECT near.term, near.first, array_remove(near.offsets, near.place) AS rest
    FROM index_terms(whose, terms) AS gone (term), LATERAL (
      SELECT block.term, block.first, block.offsets,
        least(seq - block.first, 2147483647)::integer AS place
      FROM posting_block AS block
      WHERE block.term = gone.term AND block.origin = whose AND block.first <= seq
      ORDER BY block.first DESC LIMIT 1) AS near
    WHERE near.first >> 31 = seq >> 31 AND near.place = ANY (near.offsets)),
  emptied AS (
    DELETE FROM posting_block AS block USING held
    WHERE block.term = held.term AND block.origin = whose AND block.first = held.first
      AND held.rest = '{{}}')
  UPDATE posting_block AS block
    SET first = block.first + rest[1],
      offsets = CASE WHEN rest[1] = 0 THEN rest
                     ELSE ARRAY(SELECT one - rest[1] FROM unnest(rest) AS one) END
    FROM held
    WHERE block.term = held.term AND block.origin = whose AND block.first = held.first
      AND held.rest <> '{{}}';
END $$;
"""
# Facts that come after all others of their term go into its last block, or into new ones where that
# would grow too long. The others are what the statement returns.
_PUT = """,
    placed AS MATERIALIZED (
      SELECT fresh.origin, fresh.term, facts, last.first, last.upto,
        last.held + cardinality(facts) <= {block}
          AND facts[cardinality(facts)] >> 31 = last.first >> 31 AS is_room
      FROM fresh LEFT JOIN LATERAL (
        SELECT block.first, first + offsets[cardinality(offsets)] AS upto,
          cardinality(offsets) AS held
        FROM posting_block AS block
        WHERE block.term = fresh.term AND block.origin = fresh.origin
        ORDER BY block.first DESC LIMIT 1) AS last ON true),
    grown AS (
      UPDATE posting_block AS block
      SET offsets = offsets || ARRAY(SELECT (one - block.first)::integer
                                     FROM unnest(placed.facts) AS one)
      FROM placed
      WHERE block.term = placed.term AND block.origin = placed.origin
        AND block.first = placed.first AND is_room AND placed.facts[1] > upto),
    made AS (
      INSERT INTO posting_block (origin, first, term, offsets)
      SELECT placed.origin, one.first, placed.term, one.offsets
      FROM placed, blocks_of(placed.facts, {block}) AS one
      WHERE placed.first IS NULL OR (placed.facts[1] > upto AND NOT is_room))
    SELECT placed.origin, placed.term, placed.facts FROM placed WHERE placed.facts[1] <= upto"""


def script() -> str:
    """Return the SQL that makes the tables, the views and what keeps them."""
    put = _PUT.format(block=BLOCK)
    return _SCRIPT.format(block=BLOCK, few=_FEW, many=_MANY, pages=_PAGES, put=put)
