"""The triggers of a memory on a server: journal, counts and postings follow what is stored."""

from __future__ import annotations

from tideline_cli.store import schema as files

TRIGGERS = """
-- A JSON object of some columns of a row, without spaces. A figure with a point keeps it.
CREATE FUNCTION json_image(names text[], image json) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT '{{' || string_agg(to_json(name)::text || ':' || coalesce((image -> name)::text, 'null'),
                            ',' ORDER BY place) || '}}'
    FROM unnest(names) WITH ORDINALITY AS each (name, place)
  $$;
-- Those values of the row before that the row after does not have.
CREATE FUNCTION json_difference(names text[], before json, after json) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT '{{' || coalesce(string_agg(
             to_json(name)::text || ':' || coalesce((before -> name)::text, 'null'), ','
             ORDER BY name COLLATE "C"), '') || '}}'
    FROM unnest(names) AS name
    WHERE (before ->> name) IS DISTINCT FROM (after ->> name)
  $$;

CREATE FUNCTION count_fact(f fact, sign bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  size bigint := octet_length(f.content) + octet_length(f.terms);
BEGIN
  INSERT INTO census VALUES (f.origin, f.lifecycle, f.segment, f.tier, f.heat, f.source, f.pinned,
                             coalesce(f.scope, ''), sign, sign * size)
    ON CONFLICT (origin, lifecycle, segment, tier, heat, source, pinned, scope)
    DO UPDATE SET facts = census.facts + excluded.facts, octets = census.octets + excluded.octets;
  IF sign < 0 THEN
    DELETE FROM census WHERE origin = f.origin AND lifecycle = f.lifecycle AND segment = f.segment
      AND tier = f.tier AND heat = f.heat AND source = f.source AND pinned = f.pinned
      AND scope = coalesce(f.scope, '') AND facts = 0;
  END IF;
  IF f.lifecycle = 'active' THEN
    INSERT INTO arrival VALUES (f.origin, f.created_at / {hour}, sign, sign * f.length)
      ON CONFLICT (origin, hour)
      DO UPDATE SET facts = arrival.facts + excluded.facts,
                    tokens = arrival.tokens + excluded.tokens;
    INSERT INTO tally VALUES (f.origin, f.source, sign, sign * f.length)
      ON CONFLICT (origin, source)
      DO UPDATE SET facts = tally.facts + excluded.facts, tokens = tally.tokens + excluded.tokens;
  END IF;
  IF sign < 0 THEN
    DELETE FROM arrival
      WHERE origin = f.origin AND hour = f.created_at / {hour} AND facts = 0;
  END IF;
END $$;

CREATE FUNCTION count_terms(f fact, sign bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF f.lifecycle = 'active' AND f.valid_from IS NULL AND f.valid_to IS NULL THEN
    RETURN;
  END IF;
  IF f.lifecycle <> 'active' THEN
    INSERT INTO archived_term
      SELECT f.origin, term, sign FROM string_to_table(f.terms, ' ') AS term
      WHERE term <> '' GROUP BY term
      ON CONFLICT (origin, term) DO UPDATE SET facts = archived_term.facts + excluded.facts;
  END IF;
  IF sign > 0 AND f.lifecycle = 'active' THEN
    INSERT INTO lapsed
      SELECT f.origin, coalesce((SELECT at FROM batch WHERE open > 0), f.created_at), 0, 0
      ON CONFLICT DO NOTHING;
  END IF;
  UPDATE lapsed SET facts = lapsed.facts + sign, tokens = lapsed.tokens + sign * f.length
    WHERE lapsed.origin = f.origin AND f.lifecycle = 'active'
      AND (f.valid_to <= at OR f.valid_from > at);
  INSERT INTO lapsed_term
    SELECT f.origin, term, sign FROM lapsed, string_to_table(f.terms, ' ') AS term
    WHERE lapsed.origin = f.origin AND f.lifecycle = 'active'
      AND (f.valid_to <= at OR f.valid_from > at) AND term <> '' GROUP BY term
    ON CONFLICT (origin, term) DO UPDATE SET facts = lapsed_term.facts + excluded.facts;
END $$;

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
  IF kind < 3 THEN
    PERFORM count_fact(new, 1);
  END IF;
  PERFORM count_terms(new, 1);
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
  PERFORM count_fact(old, -1), count_terms(old, -1);
  PERFORM count_fact(new, 1), count_terms(new, 1);
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
  PERFORM count_fact(old, -1), count_terms(old, -1);
  RETURN NULL;
END $$;
CREATE TRIGGER fact_deleted AFTER DELETE ON fact FOR EACH ROW EXECUTE FUNCTION fact_deleted();

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


def _row_image(table: str, row: str) -> str:
    """Return the SQL for a row as JSON text, with the keys of the journal in their order."""
    columns = files.journalled_columns(table)
    return "json_image(ARRAY[" + ", ".join(f"'{name}'" for name in columns) + f"], to_json({row}))"


def script() -> str:
    """Return the SQL that makes the triggers."""
    return TRIGGERS.format(
        journalled=", ".join(files.journalled_columns("fact")[1:]),
        watched=", ".join(("seq", *files.WATCHED, "content")), hour=files.HOUR_MS,
        usual=files.USUAL, old_fact=_row_image("fact", "old"),
        old_link=_row_image("link", "old"), old_usage=_row_image("usage", "old"),
        new_usage=_row_image("usage", "new"),
    )  # fmt: skip
