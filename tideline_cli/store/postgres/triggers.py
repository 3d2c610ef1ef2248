"""The triggers of a memory on a server: journal, counts and postings follow what is stored."""

from __future__ import annotations

from tideline_cli.store import schema as files

TRIGGERS = """
-- Those values of the row before that the row after does not have.
CREATE FUNCTION json_difference(names text[], before json, after json) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT '{{' || coalesce(string_agg(
             to_json(name)::text || ':' || coalesce((before -> name)::text, 'null'), ','
             ORDER BY name COLLATE "C"), '') || '}}'
    FROM unnest(names) AS name
    WHERE (before ->> name) IS DISTINCT FROM (after ->> name)
  $$;

CREATE FUNCTION fact_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind bigint := open_kind();
BEGIN
  IF kind < 4 THEN
    INSERT INTO change (batch, entity, row, act, tenant)
      VALUES (open_batch(), 'fact', new.seq, '+', new.origin);
    INSERT INTO unpaired SELECT new.seq FROM near_progress
      WHERE origin = new.origin AND seq >= new.seq ON CONFLICT DO NOTHING;
  END IF;
  IF kind = 1 THEN
    PERFORM put_in_index(new.seq, new.origin, new.terms);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fact_inserted AFTER INSERT ON fact FOR EACH ROW EXECUTE FUNCTION fact_inserted();

CREATE FUNCTION fact_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  image text := json_difference(
    string_to_array('{journalled}', ', '), to_json(old), to_json(new));
BEGIN
  INSERT INTO change (batch, entity, row, act, image, tenant)
    VALUES (open_batch(), 'fact', old.seq, '~', replace(image, '{usual}', ''), old.origin);
  RETURN NULL;
END $$;
CREATE TRIGGER fact_updated AFTER UPDATE OF {journalled} ON fact
  FOR EACH ROW EXECUTE FUNCTION fact_updated();

CREATE FUNCTION fact_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (old.seq, old.origin, old.terms) <> (new.seq, new.origin, new.terms) THEN
    PERFORM take_from_index(old.seq, old.origin, old.terms);
    PERFORM put_in_index(new.seq, new.origin, new.terms);
  END IF;
  IF new.lifecycle = 'active' AND old.lifecycle <> 'active' THEN
    INSERT INTO unpaired SELECT new.seq FROM near_progress
      WHERE origin = new.origin AND seq >= new.seq ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fact_changed AFTER UPDATE OF {watched} ON fact
  FOR EACH ROW EXECUTE FUNCTION fact_changed();

-- What goes with a fact goes before it, so the journal tells it in the order of a file's.
CREATE FUNCTION fact_leaving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM link WHERE to_fact = old.seq;
  DELETE FROM link WHERE from_fact = old.seq;
  DELETE FROM usage WHERE fact = old.seq;
  RETURN old;
END $$;
CREATE TRIGGER fact_leaving BEFORE DELETE ON fact FOR EACH ROW EXECUTE FUNCTION fact_leaving();

CREATE FUNCTION fact_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (batch, entity, row, act, image, tenant)
    VALUES (open_batch(), 'fact', old.seq, '-', {old_fact}, old.origin);
  PERFORM take_from_index(old.seq, old.origin, old.terms);
  RETURN NULL;
END $$;
CREATE TRIGGER fact_deleted AFTER DELETE ON fact FOR EACH ROW EXECUTE FUNCTION fact_deleted();

-- What a statement stores and removes is counted at its end, by one row for each count: a row that
-- is written a thousand times in one transaction has a thousand versions to go through.
CREATE FUNCTION facts_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF open_kind() < 3 THEN{count_born}
  END IF;{count_terms_born}
  RETURN NULL;
END $$;
CREATE TRIGGER facts_inserted AFTER INSERT ON fact REFERENCING NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION facts_inserted();

CREATE FUNCTION facts_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT {watched} FROM gone EXCEPT ALL SELECT {watched} FROM born) THEN
{count_gone}{count_terms_gone}{count_born}{count_terms_born}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER facts_updated AFTER UPDATE ON fact
  REFERENCING OLD TABLE AS gone NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION facts_updated();

CREATE FUNCTION facts_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN{count_gone}{count_terms_gone}
  RETURN NULL;
END $$;
CREATE TRIGGER facts_deleted AFTER DELETE ON fact REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION facts_deleted();

CREATE FUNCTION link_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'INSERT' THEN
    INSERT INTO change (batch, entity, row, act, tenant)
      VALUES (open_batch(), 'link', new.number, '+', new.tenant);
  ELSE
    INSERT INTO change (batch, entity, row, act, image, tenant)
      VALUES (open_batch(), 'link', old.number, CASE tg_op WHEN 'UPDATE' THEN '~' ELSE '-' END,
              {old_link}, old.tenant);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER link_changed AFTER INSERT OR UPDATE OR DELETE ON link
  FOR EACH ROW EXECUTE FUNCTION link_changed();

CREATE FUNCTION usage_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  written bigint := open_batch();
BEGIN
  IF written = 0 THEN
    RETURN NULL;
  ELSIF tg_op = 'INSERT' THEN
    INSERT INTO change (batch, entity, row, act, after, tenant)
      VALUES (written, 'usage', new.fact, '+', {new_usage}, new.tenant);
  ELSIF tg_op = 'UPDATE' THEN
    INSERT INTO change (batch, entity, row, act, image, after, tenant)
      VALUES (written, 'usage', old.fact, '~', {old_usage},
              {new_usage}, new.tenant);
  ELSE
    INSERT INTO change (batch, entity, row, act, image, tenant)
      VALUES (written, 'usage', old.fact, '-', {old_usage}, old.tenant);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_changed AFTER INSERT OR UPDATE OR DELETE ON usage
  FOR EACH ROW EXECUTE FUNCTION usage_changed();
"""
"""Their SQL; names in braces stand for what `script` puts in."""


_COUNT = """
  INSERT INTO census
    SELECT origin, lifecycle, segment, tier, heat, source, pinned, coalesce(scope, ''),
           {sign} * count(*),
           {sign} * sum(octet_length(content) + octet_length(terms))::bigint
    FROM {rows} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (origin, lifecycle, segment, tier, heat, source, pinned, scope)
    DO UPDATE SET facts = census.facts + excluded.facts, octets = census.octets + excluded.octets;
  INSERT INTO arrival
    SELECT origin, created_at / {hour}, {sign} * count(*), {sign} * sum(length)::bigint
    FROM {rows} WHERE lifecycle = 'active' GROUP BY 1, 2
    ON CONFLICT (origin, hour)
    DO UPDATE SET facts = arrival.facts + excluded.facts,
                  tokens = arrival.tokens + excluded.tokens;
  INSERT INTO tally
    SELECT origin, source, {sign} * count(*), {sign} * sum(length)::bigint
    FROM {rows} WHERE lifecycle = 'active' GROUP BY 1, 2
    ON CONFLICT (origin, source)
    DO UPDATE SET facts = tally.facts + excluded.facts, tokens = tally.tokens + excluded.tokens;"""
_FORGET_NONE = """
  DELETE FROM census WHERE facts = 0 AND origin IN (SELECT origin FROM {rows});
  DELETE FROM arrival WHERE facts = 0
    AND (origin, hour) IN (SELECT origin, created_at / {hour} FROM {rows});"""
_LAPSED = """
    INSERT INTO lapsed
      SELECT origin, coalesce((SELECT at FROM batch WHERE open > 0), min(created_at)), 0, 0
      FROM {rows} WHERE lifecycle = 'active'
        AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
      GROUP BY origin ON CONFLICT DO NOTHING;"""
_COUNT_TERMS = """
  IF EXISTS (SELECT 1 FROM {rows} WHERE lifecycle <> 'active' OR valid_from IS NOT NULL
             OR valid_to IS NOT NULL) THEN
    INSERT INTO archived_term
      SELECT origin, term, {sign} * count(*)
      FROM {rows}, LATERAL (SELECT DISTINCT term FROM string_to_table(terms, ' ') AS term
                            WHERE term <> '') AS of_fact
      WHERE lifecycle <> 'active' GROUP BY origin, term
      ON CONFLICT (origin, term) DO UPDATE SET facts = archived_term.facts + excluded.facts;{lapsed}
    UPDATE lapsed SET facts = lapsed.facts + {sign} * late.facts,
                      tokens = lapsed.tokens + {sign} * late.tokens
      FROM (SELECT origin, count(*) AS facts, sum(length)::bigint AS tokens
            FROM {rows} JOIN lapsed USING (origin)
            WHERE lifecycle = 'active' AND (valid_to <= at OR valid_from > at)
            GROUP BY origin) AS late
      WHERE lapsed.origin = late.origin;
    INSERT INTO lapsed_term
      SELECT origin, term, {sign} * count(*)
      FROM {rows} JOIN lapsed USING (origin),
           LATERAL (SELECT DISTINCT term FROM string_to_table(terms, ' ') AS term
                    WHERE term <> '') AS of_fact
      WHERE lifecycle = 'active' AND (valid_to <= at OR valid_from > at) GROUP BY origin, term
      ON CONFLICT (origin, term) DO UPDATE SET facts = lapsed_term.facts + excluded.facts;
  END IF;"""


def _counted(what: str, rows: str) -> str:
    """Return the SQL that counts rows that are `born`, or that are `gone`."""
    is_born = rows == "born"
    return what.format(
        rows=rows, sign=1 if is_born else -1, hour=files.HOUR_MS,
        lapsed=_LAPSED.format(rows=rows) if is_born else "",
    )  # fmt: skip


def _row_image(table: str, row: str) -> str:
    """Return the SQL for a row as JSON text, with the keys of the journal in their order."""
    values = (
        f"""'"{name}":' || coalesce(to_json({row}.{name})::text, 'null')"""
        for name in files.journalled_columns(table)
    )
    return "'{' || " + " || ',' || ".join(values) + " || '}'"


def script() -> str:
    """Return the SQL that makes the triggers."""
    return TRIGGERS.format(
        journalled=", ".join(files.journalled_columns("fact")[1:]),
        watched=", ".join(("seq", *files.WATCHED, "content")),
        count_born=_counted(_COUNT, "born"), count_gone=_counted(_COUNT + _FORGET_NONE, "gone"),
        count_terms_born=_counted(_COUNT_TERMS, "born"),
        count_terms_gone=_counted(_COUNT_TERMS, "gone"),
        usual=files.USUAL, old_fact=_row_image("fact", "old"),
        old_link=_row_image("link", "old"), old_usage=_row_image("usage", "old"),
        new_usage=_row_image("usage", "new"),
    )  # fmt: skip
