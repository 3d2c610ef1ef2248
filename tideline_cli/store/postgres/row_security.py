"""The wall between people on a server: row-level security, by membership of the role that asks.

A role sees and writes the rows of the origins that `member` gives it. Each table is closed, and
opened by a policy: by its column `origin`, or where it has none by a column `tenant`, which a
trigger fills from the facts that the row hangs on. The owner of the tables is behind no wall.

What a role could do to others by rows of its own is closed too. Triggers run as the owner, with a
search path of their own, and nobody else may make a trigger of their functions; postings are
written by them alone; of the journal a member writes births and no images.
"""

from __future__ import annotations

from tideline_cli.store.postgres import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MINE = "ANY (ARRAY(SELECT member.origin FROM member WHERE member.role = current_user))"
_HUNG = ("usage", "given", "stated", "unpaired", "near", "link", "change")
"""Tables without an origin of their own, which get a tenant."""
_MORE = {
    **dict.fromkeys(
        ("fade", "label_term"),
        "EXISTS (SELECT 1 FROM fact WHERE fact.seq = {0}.fact AND fact.origin = {0}.origin)",
    ),
    **dict.fromkeys(
        ("batch_count", "notice", "turn_deed"),
        "EXISTS (SELECT 1 FROM batch WHERE batch.number = {0}.batch)",
    ),
    "turn": "EXISTS (SELECT 1 FROM session WHERE session.number = turn.session"
    " AND session.origin = turn.origin)",
    "change": "entity IN ('fact', 'facts') AND act = '+'"
    " AND EXISTS (SELECT 1 FROM batch WHERE batch.number = change.batch)",
}
"""What a row that a member writes has to fulfil beside."""
_READ_ALONE = ("origin", "member", "posting", "posting_block", "turn_posting", "turn_tally")
_PARTLY = {
    "batch": "SELECT, UPDATE, DELETE, INSERT (origin, ordinal, at, verb, outcome, reason, open,"
    " first, undoes, whole, last)",
    "change": "SELECT, DELETE, INSERT (number, batch, entity, row, act, after)",
}
_TABLE = """
CREATE TABLE member (
  role   NAME NOT NULL,
  origin BIGINT NOT NULL REFERENCES origin (number),
  since  BIGINT NOT NULL,
  PRIMARY KEY (role, origin)
)
"""
_FUNCTIONS = (
    """
CREATE FUNCTION tenant_of_fact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.tenant := coalesce((SELECT origin FROM fact WHERE seq = new.fact), 0);
  RETURN new;
END $$
""",
    # A pair that spans two origins is none: where it came from is not trusted.
    """
CREATE FUNCTION tenant_of_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.origin INTO new.tenant FROM fact AS a JOIN fact AS b ON b.origin = a.origin
    WHERE a.seq = new.fact AND b.seq = new.other;
  RETURN CASE WHEN new.tenant IS NULL THEN NULL ELSE new END;
END $$
""",
    """
CREATE FUNCTION tenant_of_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.tenant := coalesce((
    SELECT a.origin FROM fact AS a JOIN fact AS b ON b.origin = a.origin
    WHERE a.seq = new.from_fact AND b.seq = new.to_fact), 0);
  RETURN new;
END $$
""",
    """
CREATE FUNCTION tenant_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.tenant := coalesce((SELECT origin FROM fact WHERE seq = new.row),
                         (SELECT origin FROM batch WHERE number = new.batch), 0);
  RETURN new;
END $$
""",
    # Changes of a member whose batch stays open would be counted as another's.
    """
CREATE FUNCTION batch_is_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM batch WHERE number = new.number AND open > 0) THEN
    RAISE check_violation USING MESSAGE = 'a batch is closed before it is committed';
  END IF;
  RETURN NULL;
END $$
""",
    """
CREATE FUNCTION batch_undoes_own() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM batch WHERE number = new.undoes AND origin = new.origin) THEN
    RAISE check_violation USING MESSAGE = 'a batch takes back one of its own origin';
  END IF;
  RETURN new;
END $$
""",
    """
CREATE FUNCTION taken_ids(text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path FROM CURRENT AS 'SELECT id FROM fact WHERE id = ANY ($1)'
""",
)
_TRIGGERS = (
    *(
        f"CREATE TRIGGER {table}_tenant BEFORE INSERT OR UPDATE OF fact ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION tenant_of_fact()"
        for table in ("usage", "given", "stated", "unpaired")
    ),
    "CREATE TRIGGER near_tenant BEFORE INSERT OR UPDATE OF fact, other ON near"
    " FOR EACH ROW EXECUTE FUNCTION tenant_of_pair()",
    "CREATE TRIGGER link_tenant BEFORE INSERT OR UPDATE OF from_fact, to_fact ON link"
    " FOR EACH ROW EXECUTE FUNCTION tenant_of_link()",
    "CREATE TRIGGER change_tenant BEFORE INSERT ON change FOR EACH ROW"
    " WHEN (new.tenant IS NULL) EXECUTE FUNCTION tenant_of_change()",
    "CREATE CONSTRAINT TRIGGER batch_closed AFTER INSERT OR UPDATE ON batch"
    " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.open > 0)"
    " EXECUTE FUNCTION batch_is_closed()",
    "CREATE TRIGGER batch_undoes BEFORE INSERT OR UPDATE OF undoes, origin ON batch"
    " FOR EACH ROW WHEN (new.undoes IS NOT NULL) EXECUTE FUNCTION batch_undoes_own()",
)
_AS_OWNER = """
DO $do$ DECLARE one regprocedure; BEGIN
  FOR one IN SELECT oid FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prorettype = 'trigger'::regtype
  LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path FROM CURRENT', one);
  END LOOP;
  EXECUTE format('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA %I FROM PUBLIC', current_schema());
END $do$
"""
FOR_MEMBERS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND prorettype <> 'trigger'::regtype
"""
"""The functions that a member may call."""


def tenants() -> Iterator[str]:
    """Yield the SQL that gives each table without an origin a tenant; before the triggers."""
    for table in _HUNG:
        yield f"ALTER TABLE {table} ADD COLUMN tenant BIGINT NOT NULL"
    yield _TABLE


def statements() -> Iterator[str]:
    """Yield the SQL that closes all tables and opens them to members; after the triggers."""
    yield from _FUNCTIONS
    yield from _TRIGGERS
    yield _AS_OWNER
    for table in tables.of_server():
        yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
        yield f"CREATE POLICY own ON {table} {_policy(table)}"
    yield "CREATE POLICY shared ON setting FOR SELECT USING (strpos(name, ':') = 0)"


def _policy(table: str) -> str:
    """Return what a policy says of the rows of a table."""
    if table == "member":
        return "USING (role = current_user)"
    if table == "origin":
        return f"USING (number = {_MINE})"
    if table == "setting":  # those of an origin end with its number
        own = _MINE.replace("member.origin", "'consolidated:' || member.origin", 1)
        return f"USING (name = {own})"
    mine = f"{'tenant' if table in _HUNG else 'origin'} = {_MINE}"
    more = f" AND {_MORE[table].format(table)}" if table in _MORE else ""
    return f"USING ({mine}) WITH CHECK ({mine}{more})"


def grants(schema: str) -> Iterator[str]:
    """Yield what a member is granted or, at its end, is revoked, as SQL between the verb and the
    role: `GRANT … TO role`, `REVOKE … FROM role`. Functions come by FOR_MEMBERS."""
    yield f'USAGE ON SCHEMA "{schema}"'
    for table in tables.of_server():
        usual = "SELECT" if table in _READ_ALONE else "SELECT, INSERT, UPDATE, DELETE"
        yield f'{_PARTLY.get(table, usual)} ON "{schema}".{table}'
    for view in ("fact_vocabulary", "indexed_term", "turn_vocabulary", "sqlite_schema"):
        yield f'SELECT ON "{schema}".{view}'

