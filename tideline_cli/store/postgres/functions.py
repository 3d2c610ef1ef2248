"""Functions of SQLite that the statements of the store use, as PostgreSQL has them."""

from __future__ import annotations

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
