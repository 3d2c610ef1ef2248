"""Who may use a memory on a server: roles, each with the origins that it sees."""

from __future__ import annotations

from tideline_cli.errors import CannotWriteError, NotFoundError, StoreError
from tideline_cli.model.record import record
from tideline_cli.store import connection, visibility
from tideline_cli.store.connection import has_synced
from tideline_cli.store.postgres import row_security
from tideline_cli.store.postgres.opening import MOST_ORIGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.postgres.server import ServerConnection


@record
class Member:
    """A role, an origin that it sees, and since when, in milliseconds. `is_there` says whether the
    server still has a role of this name."""

    role: str
    origin: str
    since: int
    is_there: bool


_LISTED = """
SELECT member.role::text, origin.key, since,
       EXISTS (SELECT 1 FROM pg_roles WHERE rolname = member.role)
FROM member JOIN origin ON origin.number = member.origin ORDER BY 1, origin.number
"""


def listed(db: ServerConnection) -> list[Member]:
    """Return the members by role; who is none but a member sees their own rows."""
    _check_layout(db)
    rows: list[Any] = db.execute(_LISTED).fetchall()
    return [Member(role, key, since, bool(is_there)) for role, key, since, is_there in rows]


def add(db: ServerConnection, role: str, *, viewer: Origin, now: int) -> bool:
    """Let a role see and write an origin, which is made where it is not there; return False where
    it did already.

    Raises CannotWriteError for anybody but the owner of the memory, NotFoundError for a role that
    the server does not have, StoreError for tables of an older version.
    """
    with connection.writing(db):  # type: ignore[arg-type]
        _check(db)
        if not db.execute("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ?)", (role,)).get:
            raise NotFoundError(
                f"the server has no role {role!r}",
                hint=f'who administers it makes one: createuser {role}, or CREATE ROLE "{role}" '
                "LOGIN", code="no_role",
            )  # fmt: skip
        if has_synced(db):  # type: ignore[arg-type]
            raise CannotWriteError(
                "a memory that syncs takes no members", code="syncs",
                hint="`tideline export`, then import it into a schema of its own (?schema=NAME)",
            )
        if db.execute(_MAY_MAKE, (role,)).get:
            raise CannotWriteError(
                f"{role} may make functions in the schema {db.schema}, which would run for others",
                hint=f'REVOKE CREATE ON SCHEMA "{db.schema}" FROM PUBLIC, "{role}"; a schema that '
                "is theirs needs another owner", code="may_create",
            )  # fmt: skip
        if db.execute(_IS_OWNER, (role,)).get:
            raise CannotWriteError(
                f"{role} owns the memory or administers the server: it sees all origins",
                hint="name a role of its own for each person", code="sees_all",
            )  # fmt: skip
        number = visibility.ensure_number(db, viewer)  # type: ignore[arg-type]
        made = db.execute(
            "INSERT INTO member (role, origin, since) VALUES (CAST(? AS NAME), ?, ?)"
            " ON CONFLICT (role, origin) DO NOTHING RETURNING origin",
            (role, number, now),
        ).fetchone()
        for what in _grants(db):
            db.as_it_is(f"GRANT {what} TO {_quoted(role)}")
    return made is not None


def remove(db: ServerConnection, role: str, *, viewer: Origin | None) -> list[str]:
    """Take an origin from a role, or with None all; return the origins that it lost. A role with
    none left loses its access to the tables too.

    Raises CannotWriteError as `add` does, NotFoundError for a role that is no such member.
    """
    with connection.writing(db):  # type: ignore[arg-type]
        _check(db)
        lost: list[Any] = db.execute(
            "DELETE FROM member USING origin WHERE origin.number = member.origin"
            " AND role = CAST(?1 AS NAME) AND key = coalesce(?2, key) RETURNING key",
            (role, viewer.key if viewer else None),
        ).fetchall()
        if not lost:
            whose = f" of {viewer.key}" if viewer else ""
            raise NotFoundError(
                f"{role!r} is no member{whose}", hint="`tideline member list` shows all",
                code="no_member",
            )  # fmt: skip
        is_known = db.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM member WHERE role = CAST(?1 AS NAME))", (role,)
        ).get
        if is_known:
            for what in _grants(db):
                db.as_it_is(f"REVOKE {what} FROM {_quoted(role)}")
    return sorted(key for (key,) in lost)


_MAY_MAKE = """
SELECT has_schema_privilege(CAST(?1 AS NAME), current_schema(), 'CREATE')
  AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = ?1)
  AND NOT pg_has_role(CAST(?1 AS NAME), relowner, 'USAGE')
FROM pg_class WHERE oid = to_regclass('fact')
"""
# Whoever may act as the owner of the tables, a superuser too, is behind no wall.
_IS_OWNER = """
SELECT pg_has_role(?, relowner, 'USAGE') OR EXISTS (
  SELECT 1 FROM pg_roles WHERE rolname = ?1 AND (rolsuper OR rolbypassrls))
FROM pg_class WHERE oid = to_regclass('fact')
"""


def is_known_as_none(db: ServerConnection, *, viewer: Origin) -> bool:
    """Say whether the role of a connection saw no such origin when it was made."""
    return len(db.origins) < MOST_ORIGINS and viewer.key not in db.origins


def sees_all(db: ServerConnection) -> bool:
    """Say whether the role of a connection owns the tables, or there are none: no wall holds it."""
    asked = _IS_OWNER.replace("?1", "current_user").replace("?", "current_user")
    found = db.execute(asked).get
    return found is None or bool(found)


def _check(db: ServerConnection) -> None:
    _check_layout(db)
    if not sees_all(db):
        raise CannotWriteError(
            "who is a member, its owner alone says",
            hint="log in as the role that made the tables", code="not_the_owner",
        )  # fmt: skip


def _check_layout(db: ServerConnection) -> None:
    if not db.execute("SELECT to_regclass('member') IS NOT NULL").get:
        raise StoreError(
            "the tables were made by an older version, without walls between roles",
            hint="`tideline export > all.jsonl`, then import it into a new schema (?schema=NAME)",
            code="no_walls",
        )  # fmt: skip


def _grants(db: ServerConnection) -> list[str]:
    named: list[Any] = db.execute(row_security.FOR_MEMBERS).fetchall()
    functions = (f'EXECUTE ON ROUTINE {name}' for (name,) in named)
    return [*row_security.grants(db.schema), *functions]


def _quoted(role: str) -> str:
    return '"' + role.replace('"', '""') + '"'
