"""The shares of locality in a summary that `lares run --summary json FILE` wrote (docs/run.md)."""

KINDS = ("local", "same_domain", "remote")


def _amounts(summary, what):
    """Amounts by kind, of "tasks" or of "bytes"."""
    found = (summary or {}).get(what) or {}
    return found.get("shares") or {} if what == "tasks" else found


def shares(summary, what):
    """Shares from 0 to 1 of "tasks" or "bytes" by kind, or None where nothing was counted."""
    amounts = _amounts(summary, what)
    total = sum(amounts.get(kind, 0) for kind in KINDS)
    return {kind: amounts.get(kind, 0) / total for kind in KINDS} if total else None


def share(summary, what, *kinds):
    """The sum of some of these shares, or None."""
    found = shares(summary, what)
    return sum(found[kind] for kind in kinds) if found else None
